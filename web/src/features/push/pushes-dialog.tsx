import type { ReplyOf, listPushes } from '@sluice/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormatSettings } from '../../grid/format-value.ts';
import { call, errorText } from '../../platform/call.ts';
import { moment } from '../../platform/time.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { initialsOf } from '../../ui/initials.ts';
import { toast } from '../../ui/toasts.tsx';
import { showResults } from './push-progress.ts';
import './review.css';

const PAGE = 50;

type PushLine = ReplyOf<typeof listPushes>['resources'][number];
type Skipped = { id: string; label: string | null; field: string | null }[];

const LOOK: Record<string, 'success' | 'warning' | 'danger' | 'info' | 'grey'> = {
  DONE: 'success',
  PARTIALLY_FAILED: 'warning',
  FAILED: 'danger',
  CANCELLED: 'grey',
  QUEUED: 'info',
  RUNNING: 'info',
};

/** The pushes of a table, with their results, and the way to take one back. */
export const PushesDialog = ({
  collection,
  title,
  where,
  systemName,
  settings,
  me,
  canUndo,
  nameOf,
  onClose,
  onShow,
  onUndone,
}: {
  collection: string;
  title: string;
  where: string;
  systemName: string;
  settings: FormatSettings;
  me: string;
  canUndo: boolean;
  nameOf: (fieldId: string) => string;
  onClose: () => void;
  onShow: (id: string, field: string | null) => void;
  /** Pending changes were made: the table shows them, and its undo knows the step. */
  onUndone: (editId: string | null) => void;
}) => {
  const { t } = useTranslation();
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['pushes', collection],
    queryFn: ({ pageParam }) =>
      call('listPushes', { params: { collection }, query: { limit: PAGE, offset: pageParam } }),
    initialPageParam: 0,
    getNextPageParam: (last) =>
      last.offset + last.resources.length < last.total ? last.offset + last.resources.length : undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const [asked, setAsked] = useState<PushLine | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [kept, setKept] = useState<Skipped>([]);
  const lines = data?.pages.flatMap((page) => page.resources) ?? [];
  const undo = async (line: PushLine): Promise<void> => {
    setBusy(true);
    try {
      const { undone, skipped, editId } = await call('undoPush', {
        params: { collection, pushId: line.pushId },
        body: {},
      });
      const count = undone.insert + undone.update + undone.delete;
      onUndone(editId);
      toast(count > 0 ? 'success' : 'warning', t('review.undone', { count }));
      setAsked(null);
      setKept(skipped);
      if (skipped.length === 0) onClose();
    } catch (failure) {
      toast('error', errorText(failure));
    } finally {
      setBusy(false);
    }
  };
  if (asked) {
    return (
      <ConfirmDialog
        title={t('review.undoTitle')}
        text={t('review.undoText', {
          system: systemName,
          time: moment(asked.at, settings.formats),
          count: asked.succeeded,
        })}
        yes={t('review.undoSubmit')}
        isYesFocused
        isBusy={isBusy}
        onNo={() => setAsked(null)}
        onYes={() => void undo(asked)}
      />
    );
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('review.pushesTitle')}
      subtitle={t('push.subtitle', { title, where })}
      width={880}
    >
      <div style={{ overflow: 'auto', minHeight: 160, borderTop: '1px solid var(--line)' }}>
        {kept.length > 0 ? (
          <div className="note-line warn" style={{ margin: '12px 20px', alignItems: 'start' }}>
            <Icon name="warning" />
            <div>
              <p>{t('review.undoKept', { count: kept.length })}</p>
              <ul className="kept">
                {kept.slice(0, 20).map((one) => (
                  <li key={`${one.id} ${one.field}`}>
                    <button type="button" className="link" onClick={() => onShow(one.id, one.field)}>
                      {one.label ?? one.id}
                    </button>
                    {one.field ? `, ${nameOf(one.field)}` : null}
                  </li>
                ))}
              </ul>
            </div>
          </div>
        ) : null}
        {error ? (
          <p className="note-line bad" style={{ margin: 20 }} role="alert">
            <Icon name="danger" />
            {errorText(error)}
          </p>
        ) : isPending ? (
          <div style={{ padding: 20, display: 'grid', gap: 18 }} aria-busy="true">
            {[520, 480, 560].map((width) => (
              <span key={width} className="skel" style={{ width }} />
            ))}
          </div>
        ) : lines.length === 0 ? (
          <EmptyState icon="push" title={t('review.noPushes')} text={t('review.noPushesText')} />
        ) : (
          <table className="tbl pushes">
            <thead>
              <tr>
                <th scope="col">{t('review.when')}</th>
                <th scope="col">{t('review.who')}</th>
                <th scope="col">{t('review.what')}</th>
                <th scope="col">{t('review.outcome')}</th>
                <th scope="col">
                  <span className="vh">{t('manage.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => {
                const { counts } = line;
                const parts = [
                  counts.insert > 0 ? t('table.footNew', { count: counts.insert }) : '',
                  counts.update > 0 ? t('table.footChanged', { count: counts.update }) : '',
                  counts.delete > 0 ? t('table.footDeleted', { count: counts.delete }) : '',
                ].filter(Boolean);
                return (
                  <tr key={line.pushId}>
                    <td className="tn">{moment(line.at, settings.formats)}</td>
                    <td>
                      <span className="who">
                        <span className="avatar">{initialsOf(line.author.fullName)}</span>
                        {line.author.internalId === me ? t('common.you') : line.author.fullName}
                      </span>
                    </td>
                    <td>{parts.join(', ') || '–'}</td>
                    <td>
                      <span className={`badge ${LOOK[line.status] ?? 'grey'}`}>
                        {t(`review.status_${line.status as 'DONE'}`)}
                      </span>{' '}
                      {line.failed > 0 ? (
                        <span className="sec">
                          {t('push.donePart', { succeeded: line.succeeded, failed: line.failed })}
                        </span>
                      ) : null}
                    </td>
                    <td className="acts">
                      <button
                        type="button"
                        className="btn"
                        onClick={() => {
                          onClose();
                          showResults({ collection, title, systemName }, line.pushId).catch(
                            (failure: unknown) => toast('error', errorText(failure)),
                          );
                        }}
                      >
                        {t('push.results')}
                      </button>{' '}
                      {canUndo ? (
                        <button
                          type="button"
                          className="btn"
                          disabled={line.succeeded === 0}
                          onClick={() => setAsked(line)}
                        >
                          <Icon name="undo" size="s" />
                          {t('review.undoPush')}
                        </button>
                      ) : null}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
        {hasNextPage ? (
          <p style={{ padding: 12, textAlign: 'center' }}>
            <button
              type="button"
              className="link"
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {t('push.loadMore')}
            </button>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
};
