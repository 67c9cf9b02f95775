import { useMemo, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import type { ChosenRecords } from '../../grid/actions.ts';
import { errorText } from '../../platform/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type CardContext, RecordCard, useValueText } from './record-card.tsx';
import { startPush } from './push-progress.ts';
import {
  type PendingRecord,
  type Scope,
  firstScope,
  heldBy,
  inScope,
  isMine,
  isTickedAtFirst,
  listsOf,
} from './selection.ts';
import { usePending } from './use-pending.ts';

const SHOWN = 200;

export interface ReviewProps {
  collection: string;
  title: string;
  where: string;
  isProduction: boolean;
  context: CardContext;
  selection: ChosenRecords;
  onClose: () => void;
  onShow: (id: string) => void;
  onChanged: () => void;
  onResolve: (
    id: string,
    field: string | undefined,
    choice: 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard',
  ) => Promise<void>;
}

const B = <b />;

const HeldBack = ({
  records,
  context,
  onShow,
}: {
  records: readonly PendingRecord[];
  context: CardContext;
  onShow: (id: string) => void;
}) => {
  const { t } = useTranslation();
  if (records.length === 0) return null;
  const why = ({ operation }: PendingRecord): string => {
    if (operation.state === 'beingPushed') return t('table.statePushing');
    const [error] = operation.validationErrors;
    if (!error) return t('table.stateInvalid');
    return `${context.columns.get(error.field)?.name ?? error.field}: ${error.message}`;
  };
  return (
    <div className="held">
      <div className="sech" style={{ position: 'sticky', top: 0, zIndex: 1 }}>
        {t('push.held', { count: records.length })}
      </div>
      {records.slice(0, SHOWN).map((record) => (
        <div className="rec" key={record.operation.id}>
          <div
            className="hd"
            style={{ gridTemplateColumns: '20px 28px minmax(0, 1fr) minmax(0, 1.6fr) auto' }}
          >
            <input type="checkbox" className="cbx" disabled aria-label={record.label ?? record.key ?? ''} />
            <i
              className={`mk mk-${record.operation.state === 'beingPushed' ? 'pushing' : 'invalid'}`}
              style={{ justifySelf: 'center' }}
            />
            <span className="nm">
              <span className="trunc">{record.label ?? record.key ?? t('push.kindNew')}</span>
              {record.label && record.key ? <span className="id">{record.key}</span> : null}
            </span>
            <span className="why">
              <span className="trunc" title={why(record)}>
                {why(record)}
              </span>
            </span>
            <button type="button" className="link" onClick={() => onShow(record.operation.id)}>
              {t('push.showInTable')}
            </button>
          </div>
        </div>
      ))}
    </div>
  );
};

/** Old and new values of everything that would go, before anything leaves the house. */
export const PushDialog = (props: ReviewProps) => {
  const {
    collection,
    title,
    where,
    isProduction,
    context,
    selection,
    onClose,
    onShow,
    onChanged,
    onResolve,
  } = props;
  const { t } = useTranslation();
  const { records, error, load } = usePending(collection);
  const selected = useMemo(() => new Set(selection.ids), [selection]);
  const [scope, setScope] = useState<Scope>(firstScope(selection));
  const [ticks, setTicks] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [wanted, setWanted] = useState('');
  const [shown, setShown] = useState(SHOWN);
  const [isConfirmed, setConfirmed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const text = useValueText(context);

  const scoped = useMemo(
    () => inScope(records ?? [], scope, context.me, selected),
    [records, scope, context.me, selected],
  );
  const heldRecords = scoped.filter((record) => ['invalid', 'pushing'].includes(heldBy(record) ?? ''));
  const listed = scoped.filter((record) => !heldRecords.includes(record));
  const isTicked = (record: PendingRecord): boolean | null =>
    heldBy(record) === null ? (ticks.get(record.operation.id) ?? isTickedAtFirst(record)) : null;
  const going = listed.filter((record) => isTicked(record) === true);
  const toDecide = listed.filter((record) => heldBy(record) !== null).length;
  const needsConfirm = going.some((record) => record.operation.isOutcomeUnknown);
  const plainWanted = wanted.trim().toLowerCase();
  const found =
    plainWanted === ''
      ? listed
      : listed.filter(({ label, key, operation }) =>
          [
            label,
            key,
            ...operation.changes.flatMap((c) => [
              context.columns.get(c.fieldName)?.name,
              text(c.fieldName, c.newValue),
            ]),
          ].some((part) => part?.toLowerCase().includes(plainWanted)),
        );
  const count = (action: string): number =>
    scoped.filter((record) => record.operation.action === action).length;
  const mine = (records ?? []).filter((record) => isMine(record.operation, context.me)).length;

  const tickAll = (is: boolean): void =>
    setTicks(
      new Map(listed.filter((record) => heldBy(record) === null).map((record) => [record.operation.id, is])),
    );
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await startPush({
        collection,
        title,
        lists: listsOf(going),
        confirmUnknown: needsConfirm,
        systemName: context.systemName,
        onEnded: onChanged,
      });
      onChanged();
      onClose();
      toast('info', t('push.accepted'));
    } catch (failure) {
      setFault(errorText(failure));
      setBusy(false);
    }
  };
  const resolve = (id: string, field: string | undefined, choice: Parameters<typeof onResolve>[2]): void => {
    onResolve(id, field, choice)
      .then(load)
      .catch((failure: unknown) => setFault(errorText(failure)));
  };
  const label = isProduction
    ? t('push.submitProduction', { count: going.length })
    : t('push.submit', { count: going.length });
  return (
    <Dialog
      isOpen
      isTall
      onClose={onClose}
      title={t('push.title')}
      subtitle={t('push.subtitle', { title, where })}
      width={1120}
      footer={
        <>
          <span>
            <Trans i18nKey="push.ready" values={{ ready: going.length }} components={{ b: B }} />
            {toDecide > 0 ? (
              <>
                , <Trans i18nKey="push.decide" values={{ count: toDecide }} components={{ b: B }} />
              </>
            ) : null}
            {heldRecords.length > 0 ? (
              <>
                ,{' '}
                <Trans
                  i18nKey="push.heldCount"
                  values={{ count: heldRecords.length }}
                  components={{ b: B }}
                />
              </>
            ) : null}
          </span>
          {needsConfirm ? (
            <label className="swt">
              <input
                type="checkbox"
                className="cbx"
                checked={isConfirmed}
                onChange={(event) => setConfirmed(event.target.checked)}
                style={{ width: 14, height: 14, borderRadius: 3 }}
              />
              {t('push.confirmUnknown')}
            </label>
          ) : null}
          <span className="sp" />
          {fault ? (
            <span className="err-t" role="alert">
              {fault}
            </span>
          ) : null}
          <button type="button" className="btn lg" onClick={onClose}>
            {t('common.cancel')}
          </button>
          <button
            type="button"
            className={`btn lg ${isProduction ? 'prodbtn' : 'primary'}`}
            disabled={going.length === 0 || isBusy || (needsConfirm && !isConfirmed)}
            onClick={() => void submit()}
          >
            <Icon name={isBusy ? 'spinner' : 'push'} size={isBusy ? 'spin' : ''} />
            {isBusy ? t('push.submitting') : label}
          </button>
        </>
      }
    >
      <div
        className="prodwarn"
        style={isProduction ? undefined : { background: 'var(--info-tint)', borderLeftColor: 'var(--info)' }}
      >
        {isProduction ? (
          <span className="prod">
            <Icon name="warning" size="s" />
            {t('common.production')}
          </span>
        ) : (
          <Icon name="info" />
        )}
        <span>
          {isProduction ? <b>{t('push.productionWarning')} </b> : null}
          {t('push.takesTime')}
        </span>
      </div>
      <div className="rv-tabs">
        <div className="tabs">
          <button type="button" className="on">
            {t('push.byRecord')} <span className="n">{scoped.length}</span>
          </button>
        </div>
        <span className="sp" />
        <span style={{ display: 'flex', gap: 16, fontSize: 13, paddingBottom: 10 }} className="sec">
          <span>
            <Trans i18nKey="push.newCount" values={{ count: count('add') }} components={{ b: B }} />
          </span>
          <span>
            <Trans i18nKey="push.changedCount" values={{ count: count('update') }} components={{ b: B }} />
          </span>
          <span>
            <Trans i18nKey="push.deletedCount" values={{ count: count('delete') }} components={{ b: B }} />
          </span>
        </span>
      </div>
      <div className="rv-bar">
        <input
          type="checkbox"
          className="cbx"
          aria-label={t('push.selectAll')}
          title={t('push.selectAll')}
          checked={going.length > 0 && going.length === listed.length - toDecide}
          ref={(node) => {
            if (node) node.indeterminate = going.length > 0 && going.length < listed.length - toDecide;
          }}
          onChange={(event) => tickAll(event.target.checked)}
        />
        <fieldset className="seg">
          {(['mine', 'all', ...(selection.ids.length > 0 ? (['selection'] as const) : [])] as const).map(
            (id) => (
              <button
                key={id}
                type="button"
                className={scope === id ? 'on' : ''}
                aria-pressed={scope === id}
                onClick={() => setScope(id)}
              >
                {t(`push.${id}`)}
              </button>
            ),
          )}
        </fieldset>
        <span className="sp" />
        <label className="field find" style={{ width: 230 }}>
          <Icon name="search" />
          <input
            aria-label={t('push.find')}
            placeholder={t('push.find')}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </label>
      </div>
      <div className="rv-list">
        {error ? (
          <p className="note-line bad" style={{ margin: 20 }}>
            {errorText(error)}
          </p>
        ) : null}
        {!records && !error ? (
          <div style={{ padding: 20, display: 'grid', gap: 18 }} aria-busy="true">
            {[260, 340, 220, 300].map((width) => (
              <span key={width} className="skel" style={{ width }} />
            ))}
          </div>
        ) : null}
        {records && scoped.length === 0 ? (
          <EmptyState
            icon="push"
            title={t('push.nothing')}
            text={
              records.length > 0 && mine === 0
                ? t('push.nothingMine', { count: records.length })
                : t('push.nothingText')
            }
          />
        ) : null}
        {found.slice(0, shown).map((record) => (
          <RecordCard
            key={record.operation.id}
            record={record}
            context={context}
            isTicked={isTicked(record)}
            onTick={(is) => setTicks((before) => new Map(before).set(record.operation.id, is))}
            onResolve={(choice, field) => resolve(record.operation.id, field, choice)}
            onShow={() => onShow(record.operation.id)}
          />
        ))}
        {found.length > shown ? (
          <p style={{ padding: 16, textAlign: 'center', fontSize: 13 }} className="sec">
            {t('push.moreOf', { shown, total: found.length })}{' '}
            <button type="button" className="link" onClick={() => setShown((before) => before + SHOWN)}>
              {t('push.loadMore')}
            </button>
          </p>
        ) : null}
      </div>
      <HeldBack records={heldRecords} context={context} onShow={onShow} />
    </Dialog>
  );
};
