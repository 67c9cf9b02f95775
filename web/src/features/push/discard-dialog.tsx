import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChosenRecords } from '../../grid/chosen-rows.ts';
import { call, errorText } from '../../platform/call.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toast } from '../../ui/toasts.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import type { CardContext } from './card-parts.tsx';
import { RecordCard } from './record-card.tsx';
import { estimateItem } from './review-model.ts';
import {
  type PendingRecord,
  type PushLists,
  type Scope,
  firstScope,
  heldBy,
  inScope,
  listsOf,
  otherAuthors,
} from './selection.ts';
import { usePending } from './use-pending.ts';
import './review.css';

const UNDO_MS = 10_000;

export const DiscardDialog = ({
  collection,
  title,
  where,
  context,
  selection,
  onClose,
  onShow,
  onDiscard,
  onUndone,
}: {
  collection: string;
  title: string;
  where: string;
  context: CardContext;
  selection: ChosenRecords;
  onClose: () => void;
  onShow: (id: string, field: string | null) => void;
  onDiscard: (lists: PushLists) => Promise<{
    discarded: { insert: number; update: number; delete: number };
    refused: readonly unknown[];
    editId: string | null;
  }>;
  onUndone: () => void;
}) => {
  const { t } = useTranslation();
  const { records, isComplete, error } = usePending(collection);
  const selected = useMemo(() => new Set(selection.ids ?? []), [selection]);
  const [scope, setScope] = useState<Scope>(firstScope(selection));
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const scoped = useMemo(
    () => inScope(records ?? [], scope, context.me, selected),
    [records, scope, context.me, selected],
  );
  const canGo = (record: PendingRecord): boolean => heldBy(record) !== 'pushing';
  const going = scoped.filter((record) => canGo(record) && !unticked.has(record.operation.id));
  const others = otherAuthors(going, context.me);

  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      const { discarded, refused, editId } = await onDiscard(listsOf(going));
      const count = discarded.insert + discarded.update + discarded.delete;
      onClose();
      if (refused.length > 0) toast('warning', t('push.discardRefused', { count: refused.length }));
      if (count === 0) return;
      toast('success', t('push.discarded', { count }), {
        ms: UNDO_MS,
        ...(editId
          ? {
              action: {
                label: t('common.undo'),
                run: () => {
                  call('undoEdit', { params: { collection, editId } })
                    .then(onUndone)
                    .catch((failure: unknown) => toast('error', errorText(failure)));
                },
              },
            }
          : {}),
      });
    } catch (failure) {
      setFault(errorText(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isTall
      title={t('push.discardTitle')}
      subtitle={t('push.subtitle', { title, where })}
      width={920}
      footer={
        <DialogFooter
          note={
            fault ? (
              <span className="err-t" role="alert">
                {fault}
              </span>
            ) : null
          }
          onClose={onClose}
          action={{
            label: t('push.discardSubmit', { count: going.length }),
            isDisabled: going.length === 0 || !isComplete || isBusy,
            onClick: () => void submit(),
          }}
        />
      }
    >
      <p style={{ padding: '0 20px 12px' }} className="sec">
        {t('push.discardText', { system: context.systemName })}
        {others.length > 0 ? ` ${t('push.discardOthers', { names: others.join(', ') })}` : ''}
      </p>
      <div className="rv-bar" style={{ borderTop: '1px solid var(--line)' }}>
        <fieldset className="seg">
          {(['mine', 'all', ...(selection.ids !== null ? (['selection'] as const) : [])] as const).map(
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
      </div>
      <VirtualList
        className="rv-list"
        label={t('push.discardTitle')}
        items={scoped}
        keyOf={(record) => record.operation.id}
        estimate={(record) => estimateItem({ kind: 'record', key: '', record, author: null })}
        render={(record) => (
          <RecordCard
            record={record}
            context={context}
            isTicked={canGo(record) ? !unticked.has(record.operation.id) : null}
            onTick={(is) =>
              setUnticked((before) => {
                const next = new Set(before);
                if (is) next.delete(record.operation.id);
                else next.add(record.operation.id);
                return next;
              })
            }
            actions={null}
            onShow={onShow}
          />
        )}
      >
        {error ? (
          <p className="note-line bad" style={{ margin: 20 }}>
            {errorText(error)}
          </p>
        ) : null}
        {records && isComplete && scoped.length === 0 ? (
          <EmptyState icon="check" title={t('push.nothingText')} />
        ) : null}
      </VirtualList>
    </Dialog>
  );
};
