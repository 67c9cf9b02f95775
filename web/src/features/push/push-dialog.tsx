import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChosenRecords } from '../../grid/chosen-rows.ts';
import { errorText } from '../../platform/call.ts';
import { numeral } from '../../platform/i18n/i18n.ts';
import { RichText } from '../../ui/rich-text.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type CardActions, type CardContext, useValueText } from './card-parts.tsx';
import { type Decided, type Decision, changeValue, decide } from './decide.ts';
import { startPush } from './push-progress.ts';
import { ReviewBar } from './review-bar.tsx';
import { ReviewList } from './review-list.tsx';
import { type Grouping, authorGroups, conflictsOf, fieldGroups } from './review-model.ts';
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
import { type Heard, usePending } from './use-pending.ts';
import './review.css';

export interface ReviewProps {
  collection: string;
  title: string;
  where: string;
  isProduction: boolean;
  context: CardContext;
  selection: ChosenRecords;
  onClose: () => void;
  onShow: (id: string, field: string | null) => void;
  onChanged: () => void;
  heard: Heard;
}

const GROUPINGS = ['record', 'field', 'author'] as const;

const isIn = (
  { label, key, operation }: PendingRecord,
  wanted: string,
  context: CardContext,
  text: ReturnType<typeof useValueText>,
): boolean =>
  [label, key].some((part) => part?.toLowerCase().includes(wanted)) ||
  operation.changes.some(
    (change) =>
      context.columns.get(change.fieldName)?.name.toLowerCase().includes(wanted) ||
      text(change.fieldName, change.newValue).toLowerCase().includes(wanted) ||
      text(change.fieldName, change.oldValue).toLowerCase().includes(wanted),
  );

const authorIds = ({ operation }: PendingRecord): string[] => [
  operation.authoredBy.internalId,
  ...operation.changes.map((change) => change.authoredBy.internalId),
];

/** Old and new values of everything that would go, before anything leaves the house. */
export const PushDialog = (props: ReviewProps) => {
  const { collection, title, where, isProduction, context, selection, onClose, onShow, onChanged } = props;
  const { t } = useTranslation();
  const { records, total, isComplete, error, merge, reload } = usePending(collection, props.heard);
  const selected = useMemo(() => new Set(selection.ids ?? []), [selection]);
  const [chosenScope, setScope] = useState<Scope | null>(null);
  // What runs of connectors made waits for whoever looks at it: "mine" would hide all of it.
  const isAllOfRuns = isComplete && (records ?? []).every(({ operation }) => Boolean(operation.origin.run));
  const first = firstScope(selection);
  const scope = chosenScope ?? (first === 'mine' && isAllOfRuns ? 'all' : first);
  const [grouping, setGrouping] = useState<Grouping>('record');
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [ticks, setTicks] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed).trim().toLowerCase();
  const [isConfirmed, setConfirmed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const text = useValueText(context);

  const scoped = useMemo(
    () =>
      inScope(records ?? [], scope, context.me, selected).filter(
        (record) => scope === 'mine' || hidden.size === 0 || authorIds(record).some((id) => !hidden.has(id)),
      ),
    [records, scope, context.me, selected, hidden],
  );
  const tickable = useMemo(() => scoped.filter((record) => heldBy(record) === null), [scoped]);
  const going = useMemo(
    () => tickable.filter((record) => ticks.get(record.operation.id) ?? isTickedAtFirst(record)),
    [tickable, ticks],
  );
  const isTicked = (record: PendingRecord): boolean | null =>
    heldBy(record) === null ? (ticks.get(record.operation.id) ?? isTickedAtFirst(record)) : null;
  const found = useMemo(
    () => (wanted === '' ? scoped : scoped.filter((record) => isIn(record, wanted, context, text))),
    // The texts follow from the context.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- text is made of context alone
    [scoped, wanted, context.columns],
  );
  const held = scoped.filter((record) => ['invalid', 'pushing'].includes(heldBy(record) ?? '')).length;
  const toDecide = scoped.length - tickable.length - held;
  const conflicts = useMemo(() => conflictsOf(scoped), [scoped]);
  const needsConfirm = going.some((record) => record.operation.isOutcomeUnknown);
  const tabs = useMemo(
    () => ({
      record: scoped.length,
      field: fieldGroups(scoped).length,
      author: authorGroups(scoped).length,
    }),
    [scoped],
  );
  const count = (action: string): number =>
    scoped.filter((record) => record.operation.action === action).length;

  const setTick = (list: readonly PendingRecord[], is: boolean): void =>
    setTicks((before) => {
      const next = new Map(before);
      for (const record of list) if (heldBy(record) === null) next.set(record.operation.id, is);
      return next;
    });
  const settle = (work: Promise<Decided>): void => {
    setFault(null);
    work
      .then(({ operations, clearedIds }) => {
        merge(operations, clearedIds);
        onChanged();
      })
      .catch((failure: unknown) => {
        setFault(errorText(failure));
        reload();
      });
  };
  const decideAll = (decisions: readonly Decision[]): void => settle(decide(collection, decisions));
  const actions: CardActions = {
    onResolve: (id, choice, field) => decideAll([{ id, choice, ...(field ? { field } : {}) }]),
    onEdit: (id, field, value) => {
      const operation = records?.find((record) => record.operation.id === id)?.operation;
      if (operation) settle(changeValue(collection, operation, field, value));
    },
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await startPush({
        collection,
        lists: listsOf(going),
        confirmUnknown: needsConfirm,
        onEnded: onChanged,
      });
      onChanged();
      onClose();
    } catch (failure) {
      setFault(errorText(failure));
      setBusy(false);
    }
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
            <RichText text={t('push.ready', { ready: going.length })} />
            {toDecide > 0 ? (
              <>
                , <RichText text={t('push.decide', { count: toDecide })} />
              </>
            ) : null}
            {held > 0 ? (
              <>
                , <RichText text={t('push.heldCount', { count: held })} />
              </>
            ) : null}
            {records && !isComplete && !error ? (
              <output className="mut"> · {t('review.reading', { read: records.length, total })}</output>
            ) : null}
          </span>
          {needsConfirm ? (
            <label className="swt">
              <input
                type="checkbox"
                className="cbx"
                checked={isConfirmed}
                onChange={(event) => setConfirmed(event.target.checked)}
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
            // Before all are read nobody knows what would go.
            disabled={going.length === 0 || !isComplete || isBusy || (needsConfirm && !isConfirmed)}
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
        <div className="tabs" role="tablist" aria-label={t('review.groupBy')}>
          {GROUPINGS.map((id) => (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={grouping === id}
              className={grouping === id ? 'on' : ''}
              onClick={() => setGrouping(id)}
            >
              {t(id === 'record' ? 'push.byRecord' : id === 'field' ? 'review.byField' : 'review.byAuthor')}{' '}
              <span className="n">{numeral(tabs[id])}</span>
            </button>
          ))}
        </div>
        <span className="sp" />
        <span style={{ display: 'flex', gap: 16, fontSize: 13, paddingBottom: 10 }} className="sec hide-n">
          <span>
            <RichText text={t('push.newCount', { count: count('add') })} />
          </span>
          <span>
            <RichText text={t('push.changedCount', { count: count('update') })} />
          </span>
          <span>
            <RichText text={t('push.deletedCount', { count: count('delete') })} />
          </span>
        </span>
      </div>
      <ReviewBar
        records={records ?? []}
        me={context.me}
        ticked={going.length}
        tickable={tickable.length}
        onTickAll={(is) => setTick(tickable, is)}
        scope={scope}
        hasSelection={selection.ids !== null}
        onScope={setScope}
        hidden={hidden}
        onHide={setHidden}
        wanted={typed}
        onWanted={setTyped}
      />
      {conflicts.length > 1 ? (
        <div className="rv-all">
          <i className="mk mk-invalid" />
          <span className="sp">{t('review.conflicts', { count: conflicts.length })}</span>
          <button
            type="button"
            className="btn"
            onClick={() => decideAll(conflicts.map((one) => ({ ...one, choice: 'keepMine' })))}
          >
            {t('review.keepAllMine')}
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => decideAll(conflicts.map((one) => ({ ...one, choice: 'takeTheirs' })))}
          >
            {t('review.takeAllTheirs')}
          </button>
        </div>
      ) : null}
      <ReviewList
        isLoading={records === null && !error}
        error={error}
        isEmpty={records !== null && isComplete && scoped.length === 0}
        emptyText={
          records && records.length > 0 && records.every((record) => !isMine(record.operation, context.me))
            ? t('push.nothingMine', { count: records.length })
            : t('push.nothingText')
        }
        records={found}
        grouping={grouping}
        context={context}
        isTicked={isTicked}
        onTick={setTick}
        actions={actions}
        onDecide={decideAll}
        onShow={onShow}
      />
    </Dialog>
  );
};
