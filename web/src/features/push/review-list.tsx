import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import type { CardActions, CardContext } from './card-parts.tsx';
import type { Decision } from './decide.ts';
import { ChangeRow, RecordCard } from './record-card.tsx';
import { type Group, type Grouping, conflictsOf, estimateItem, reviewItems } from './review-model.ts';
import type { PendingRecord } from './selection.ts';

const SECTION_TEXT = {
  invalid: 'push.held',
  decide: 'review.toDecide',
  rejected: 'review.rejectedBefore',
  ready: 'review.ready',
  pushing: 'review.beingPushed',
} as const;

const GroupHead = ({
  group,
  isOpen,
  onFold,
  context,
  isTicked,
  onTick,
  onDecide,
}: {
  group: Group;
  isOpen: boolean;
  onFold: () => void;
  context: CardContext;
  isTicked: (record: PendingRecord) => boolean | null;
  onTick: (records: readonly PendingRecord[], is: boolean) => void;
  onDecide: (decisions: readonly Decision[]) => void;
}) => {
  const { t } = useTranslation();
  const name =
    group.kind === 'new'
      ? t('review.newRecords')
      : group.kind === 'deleted'
        ? t('review.deletedRecords')
        : group.kind === 'author'
          ? group.id === `author ${context.me}`
            ? t('common.you')
            : group.name
          : (context.columns.get(group.name)?.name ?? (group.name || t('review.goneRecords')));
  const states = group.records.map(isTicked).filter((is) => is !== null);
  const ticked = states.filter(Boolean).length;
  const conflicts = group.kind === 'field' ? conflictsOf(group.records, group.name) : [];
  return (
    <div className="rv-group">
      <input
        type="checkbox"
        className="cbx"
        aria-label={t('review.selectGroup', { name })}
        disabled={states.length === 0}
        checked={states.length > 0 && ticked === states.length}
        ref={(node) => {
          if (node) node.indeterminate = ticked > 0 && ticked < states.length;
        }}
        onChange={(event) => onTick(group.records, event.target.checked)}
      />
      <button
        type="button"
        className="fold"
        aria-expanded={isOpen}
        aria-label={t(isOpen ? 'review.fold' : 'review.unfold', { name })}
        onClick={onFold}
      >
        <Icon name={isOpen ? 'chevron' : 'chevronRight'} size="s" />
      </button>
      <span className="trunc">
        <b>{name}</b>
        <span className="n">
          {group.kind === 'new' || group.kind === 'deleted'
            ? t('review.recordCount', { count: group.count })
            : t('review.changeCount', { count: group.count })}
        </span>
      </span>
      <span className="acts">
        {conflicts.length > 1 ? (
          <>
            <span className="badge warning">
              <Icon name="warning" size="s" />
              {t('push.conflict', { count: conflicts.length })}
            </span>
            <button
              type="button"
              className="btn"
              aria-label={t('review.keepAllMineOf', { name })}
              onClick={() => onDecide(conflicts.map((one) => ({ ...one, choice: 'keepMine' })))}
            >
              {t('review.keepAllMine')}
            </button>
            <button
              type="button"
              className="btn"
              aria-label={t('review.takeAllTheirsOf', { name })}
              onClick={() => onDecide(conflicts.map((one) => ({ ...one, choice: 'takeTheirs' })))}
            >
              {t('review.takeAllTheirs')}
            </button>
          </>
        ) : null}
      </span>
    </div>
  );
};

/** The records of the review by record, by field or by author; problems stand first. */
export const ReviewList = ({
  isLoading,
  error,
  isEmpty,
  emptyText,
  records,
  grouping,
  context,
  isTicked,
  onTick,
  actions,
  onDecide,
  onShow,
}: {
  isLoading: boolean;
  error: unknown;
  isEmpty: boolean;
  emptyText: string;
  records: readonly PendingRecord[];
  grouping: Grouping;
  context: CardContext;
  isTicked: (record: PendingRecord) => boolean | null;
  onTick: (records: readonly PendingRecord[], is: boolean) => void;
  actions: CardActions | null;
  onDecide: (decisions: readonly Decision[]) => void;
  onShow: (id: string, field: string | null) => void;
}) => {
  const { t } = useTranslation();
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const items = useMemo(() => reviewItems(records, grouping, open), [records, grouping, open]);
  return (
    <VirtualList
      key={grouping}
      className="rv-list"
      label={t('push.title')}
      items={items}
      keyOf={(item) => item.key}
      estimate={estimateItem}
      render={(item) => {
        if (item.kind === 'section')
          return <h3 className="sech">{t(SECTION_TEXT[item.section], { count: item.count })}</h3>;
        if (item.kind === 'group') {
          const { group, isOpen } = item;
          return (
            <GroupHead
              group={group}
              isOpen={isOpen}
              onFold={() => setOpen((before) => new Map(before).set(group.id, !isOpen))}
              context={context}
              isTicked={isTicked}
              onTick={onTick}
              onDecide={onDecide}
            />
          );
        }
        const shared = {
          record: item.record,
          context,
          isTicked: isTicked(item.record),
          onTick: (is: boolean) => onTick([item.record], is),
          actions,
          onShow,
        };
        return item.kind === 'change' ? (
          <ChangeRow {...shared} change={item.change} />
        ) : (
          <RecordCard {...shared} author={item.author} />
        );
      }}
    >
      {error ? (
        <p className="note-line bad" style={{ margin: 20 }} role="alert">
          <Icon name="danger" />
          {errorText(error)}
        </p>
      ) : null}
      {isLoading ? (
        <div style={{ padding: 20, display: 'grid', gap: 18 }} aria-busy="true">
          {[260, 340, 220, 300].map((width) => (
            <span key={width} className="skel" style={{ width }} />
          ))}
        </div>
      ) : null}
      {isEmpty ? <EmptyState icon="push" title={t('push.nothing')} text={emptyText} /> : null}
      {!isEmpty && !isLoading && records.length === 0 && !error ? (
        <EmptyState icon="search" title={t('review.notFound')} />
      ) : null}
    </VirtualList>
  );
};
