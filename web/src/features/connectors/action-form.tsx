import type { Action, ReplyOf, getActionOptions, Wiring, WiringOption } from '@sluice/contract';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { takeWork } from '../../platform/saved-work.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Switch, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { useUnfinished } from '../../ui/unfinished.tsx';
import { useAction, useActionOptions, useRefresh } from './api.ts';
import './connectors.css';
import { ScheduleFields, scheduleOf, type TypedSchedule, typedOf } from './schedule-fields.tsx';
import { BackToConnector, FormFrame, Waiting } from './screen-parts.tsx';
import { WiringPicker } from './wiring-picker.tsx';

interface Typed {
  name: string;
  isActive: boolean;
  isCopyAllowed: boolean;
  targets: string[];
  sources: string[];
  schedule: TypedSchedule;
}

type Options = ReplyOf<typeof getActionOptions>;
type Faults = Partial<Record<'name' | 'targets' | 'sources' | 'schedule', string>>;

const endsOf = (options: readonly WiringOption[], chosen: readonly string[], before: Wiring['targets']) =>
  chosen.flatMap((id) => {
    const option = options.find((one) => one.id === id);
    if (option) return [{ optionId: id, path: option.path, resourceTypeUriId: option.resourceTypeUriId }];
    return before.filter(({ optionId }) => optionId === id);
  });

const startOf = (action: Action | null, options: Options): Typed => ({
  name: action?.name ?? '',
  isActive: action?.isActive ?? false,
  isCopyAllowed: action?.isCopyAllowed ?? true,
  targets:
    action?.wiring.targets.map(({ optionId }) => optionId) ??
    (options.defaultTargetOptionId === null ? [] : [options.defaultTargetOptionId]),
  sources:
    action?.wiring.sources.map(({ optionId }) => optionId) ??
    (options.defaultSourceOptionId === null ? [] : [options.defaultSourceOptionId]),
  schedule: typedOf(action?.schedule ?? { kind: 'afterRefresh' }),
});

/** What the server finds wrong, at its place. */
const faultsOf = (error: ApiError): Faults =>
  Object.fromEntries(
    error.fieldErrors.flatMap(({ field, message }) => {
      const place = field.replace(/^(body|changes)\./, '').replace(/^changes\./, '');
      if (place.startsWith('wiring.targets')) return [['targets', message]];
      if (place.startsWith('wiring.sources')) return [['sources', message]];
      if (place.startsWith('schedule')) return [['schedule', message]];
      return place.startsWith('name') ? [['name', message]] : [];
    }),
  );

const Form = ({
  connectorId,
  action,
  options,
}: {
  connectorId: string;
  action: Action | null;
  options: Options;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [start] = useState(() => startOf(action, options));
  // The mappings of the same action are kept by their own editor.
  const workKey = `action-form:${connectorId}:${action?.internalId ?? ''}`;
  const [typed, setTyped] = useState(() => takeWork<Typed>(workKey) ?? start);
  const { question, finish } = useUnfinished(workKey, { start, typed });
  const [faults, setFaults] = useState<Faults>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const title = action
    ? t('actions.editTitle', { name: action.name })
    : t('actions.newTitle', { connector: options.connector.name });
  usePageTitle(title);
  const set = (change: Partial<Typed>): void => setTyped((now) => ({ ...now, ...change }));

  const save = async (isDiscardConfirmed: boolean): Promise<void> => {
    const schedule = scheduleOf(typed.schedule);
    const found: Faults = {
      ...(typed.name.trim() === '' ? { name: t('connectors.required') } : {}),
      ...(typed.targets.length === 1 ? {} : { targets: t('actions.oneTarget') }),
      ...(typed.sources.length > 0 ? {} : { sources: t('actions.oneSource') }),
      ...(schedule ? {} : { schedule: t('actions.minutesBad') }),
    };
    setFaults(found);
    setFailure(null);
    if (Object.keys(found).length > 0 || !schedule) return;
    const values = {
      name: typed.name.trim(),
      isActive: typed.isActive,
      isCopyAllowed: typed.isCopyAllowed,
      schedule,
    };
    const wiring: Wiring = {
      targets: endsOf(options.targetOptions, typed.targets, action?.wiring.targets ?? []),
      sources: endsOf(options.sourceOptions, typed.sources, action?.wiring.sources ?? []),
    };
    const idsOf = (ends: Wiring['targets']): string => ends.map(({ optionId }) => optionId).join('*');
    const isRewired =
      !action ||
      idsOf(action.wiring.targets) !== idsOf(wiring.targets) ||
      idsOf(action.wiring.sources) !== idsOf(wiring.sources);
    setBusy(true);
    try {
      if (action)
        await call('updateAction', {
          params: { connectorId, actionId: action.internalId },
          body: {
            changes: { ...values, ...(isRewired ? { wiring } : {}) },
            revision: action.revision,
            confirmDiscardActions: isDiscardConfirmed,
          },
        });
      const made = action
        ? null
        : await call('createAction', { params: { connectorId }, body: { ...values, wiring } });
      finish();
      await refresh();
      toast('success', t('connectors.saved'));
      if (made)
        await navigate({
          to: '/connectors/$connectorId/actions/$actionId/mappings-triggers',
          params: { connectorId, actionId: made.internalId },
        });
      else await navigate({ to: '/connectors/$connectorId/actions', params: { connectorId } });
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.code === 'ACTIONS_WOULD_BE_DISCARDED') {
        setAsking(true);
        return;
      }
      if (error instanceof ApiError && error.code === 'REVISION_CONFLICT') {
        setFailure(t('connectors.conflict'));
        await refresh();
        return;
      }
      const told = error instanceof ApiError ? faultsOf(error) : {};
      setFaults(told);
      if (Object.keys(told).length === 0) setFailure(errorText(error));
    }
  };

  return (
    <FormFrame
      onSubmit={() => void save(false)}
      footer={
        <>
          <button
            type="button"
            className="btn lg"
            onClick={() => void navigate({ to: '/connectors/$connectorId/actions', params: { connectorId } })}
          >
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy}>
            {t(isBusy ? 'common.saving' : action ? 'common.save' : 'actions.saveAndMap')}
          </button>
        </>
      }
    >
      <div>
        <BackToConnector connectorId={connectorId} label={options.connector.name} />
        <div className="page-h" style={{ marginBottom: 0 }}>
          <h1>{title}</h1>
        </div>
      </div>
      {failure ? (
        <p className="note-line bad" role="alert">
          <Icon name="danger" />
          {failure}
        </p>
      ) : null}
      <section className="card">
        <h2 className="sect">{t('connectors.general')}</h2>
        <div className="frm">
          <TextField
            label={t('actions.name')}
            value={typed.name}
            error={faults.name}
            isRequired
            isWide
            maxLength={200}
            onChange={(name) => set({ name })}
          />
          <div>
            <Switch
              label={t('actions.active')}
              isOn={typed.isActive}
              onChange={(isActive) => set({ isActive })}
            />
            <p className="mut" style={{ fontSize: 12 }}>
              {t('actions.activeHint')}
            </p>
          </div>
          <div>
            <Switch
              label={t('actions.allowCopy')}
              isOn={typed.isCopyAllowed}
              onChange={(isCopyAllowed) => set({ isCopyAllowed })}
            />
            <p className="mut" style={{ fontSize: 12 }}>
              {t('actions.allowCopyHint')}
            </p>
          </div>
        </div>
      </section>
      <section className="card">
        <h2 className="sect">{t('actions.wiring')}</h2>
        <div className="cn-ends" style={{ padding: '0 16px 16px' }}>
          <WiringPicker
            title={t('actions.sourcePick')}
            hint={t('actions.pickSourceHint')}
            options={options.sourceOptions}
            chosen={typed.sources}
            isSingle={false}
            error={faults.sources}
            onChange={(sources) => set({ sources })}
          />
          <WiringPicker
            title={t('actions.targetPick')}
            hint={t('actions.pickTargetHint')}
            options={options.targetOptions}
            chosen={typed.targets}
            isSingle
            error={faults.targets}
            onChange={(targets) => set({ targets })}
          />
        </div>
      </section>
      <section className="card">
        <h2 className="sect">{t('actions.schedule')}</h2>
        <div className="frm">
          <ScheduleFields
            typed={typed.schedule}
            error={faults.schedule}
            onChange={(schedule) => set({ schedule })}
          />
        </div>
      </section>
      {isAsking ? (
        <Dialog
          isOpen
          onClose={() => setAsking(false)}
          title={t('actions.targetPick')}
          footer={
            <>
              <span className="sp" />
              <button type="button" className="btn lg" onClick={() => setAsking(false)}>
                {t('common.cancel')}
              </button>
              <button
                type="button"
                className="btn danger lg"
                onClick={() => {
                  setAsking(false);
                  void save(true);
                }}
              >
                {t('connectors.discardSubmit')}
              </button>
            </>
          }
        >
          <p style={{ padding: '0 20px 20px' }}>{t('actions.discardMappings')}</p>
        </Dialog>
      ) : null}
      {question}
    </FormFrame>
  );
};

/** `/connectors/{id}/actions/new` */
export const NewActionScreen = () => {
  const { connectorId } = useParams({ from: '/inside/connectors/$connectorId/actions/new' });
  const { data: options, error } = useActionOptions(connectorId);
  if (!options) return <Waiting error={error} />;
  return <Form connectorId={connectorId} action={null} options={options} />;
};

/** `/connectors/{id}/actions/{actionId}/edit` */
export const EditActionScreen = () => {
  const { connectorId, actionId } = useParams({
    from: '/inside/connectors/$connectorId/actions/$actionId/edit',
  });
  const { data: options, error } = useActionOptions(connectorId);
  const action = useAction(connectorId, actionId);
  if (!options || !action.data) return <Waiting error={action.error ?? error} />;
  return <Form key={actionId} connectorId={connectorId} action={action.data.resource} options={options} />;
};
