import type { HistoryEntry, Value } from '@sluice/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isArrayField } from '../../grid/edit-plan.ts';
import { type FormatSettings, cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { call, errorText } from '../../platform/call.ts';
import { moment } from '../../platform/time.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { initialsOf } from '../../ui/initials.ts';
import { SideDialog } from '../../ui/side-dialog.tsx';
import './history.css';

const PAGE = 50;
/** Changed fields of one entry that are listed. */
const SHOWN = 12;

interface Context {
  columns: readonly GridColumn[];
  settings: FormatSettings;
  systemName: string;
  me: string;
}

const useValueText = ({ columns, settings }: Context) => {
  const { t } = useTranslation();
  return (fieldId: string, value: Value): string => {
    const field = columns.find((column) => column.id === fieldId)?.field;
    if (value === null || value === '') return t('common.empty');
    if (!field) return typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (isArrayField(field) && Array.isArray(value)) return t('form.entries', { count: value.length });
    return cellText(value, field, settings).main || t('common.empty');
  };
};

const OUTCOME = {
  succeeded: { mark: 'new', key: 'history.pushed' },
  rejected: { mark: 'rejected', key: 'history.rejected' },
  unknown: { mark: 'invalid', key: 'history.unknown' },
  cancelled: { mark: 'deleted', key: 'history.cancelled' },
  waiting: { mark: 'pushing', key: 'history.waiting' },
} as const;

const ROW = {
  add: { mark: 'new', key: 'history.added' },
  delete: { mark: 'deleted', key: 'history.deleted' },
  undelete: { mark: 'you', key: 'history.undeleted' },
  discard: { mark: 'you', key: 'history.discarded' },
} as const;

const Entry = ({ entry, context }: { entry: HistoryEntry; context: Context }) => {
  const { t } = useTranslation();
  const text = useValueText(context);
  const isMe = entry.author.internalId === context.me;
  const what =
    entry.kind === 'push'
      ? OUTCOME[entry.outcome]
      : entry.row === null
        ? { mark: isMe ? 'you' : 'others', key: `history.kind_${entry.editKind}` as const }
        : ROW[entry.row];
  const more = entry.changes.length - SHOWN;
  return (
    <li className={`hist ${entry.kind === 'edit' && entry.isUndone ? 'undone' : ''}`}>
      <i className={`mk mk-${what.mark}`} />
      <div className="head">
        <b>{t(what.key, { system: context.systemName })}</b>
        {entry.kind === 'edit' && entry.isUndone ? (
          <span className="badge grey">{t('history.undone')}</span>
        ) : null}
        <span className="sp" />
        <span className="mut tn">{moment(entry.at, context.settings.formats)}</span>
      </div>
      <p className="who">
        <span className={`avatar ${isMe ? '' : 'av-f'}`}>{initialsOf(entry.author.fullName)}</span>
        {isMe ? t('common.you') : entry.author.fullName}
      </p>
      {entry.kind === 'push'
        ? entry.errors.map((error, i) => (
            <p className="bad" key={i}>
              {error.field ? (
                <b>{context.columns.find((column) => column.id === error.field)?.name ?? error.field}: </b>
              ) : null}
              {error.msg}
            </p>
          ))
        : null}
      {entry.changes.length > 0 ? (
        <dl>
          {entry.changes.slice(0, SHOWN).map((change) => (
            <div key={change.field}>
              <dt className="trunc">
                {context.columns.find((column) => column.id === change.field)?.name ?? change.field}
              </dt>
              <dd>
                <span className="old">{text(change.field, change.old)}</span>
                <Icon name="arrowRight" size="xs" />
                <span>{text(change.field, change.new)}</span>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {more > 0 ? <p className="mut">{t('history.moreFields', { count: more })}</p> : null}
    </li>
  );
};

/** What happened to one record: edits by people, pushes, and what the external system answered. */
export const HistoryDialog = ({
  collection,
  id,
  label,
  onClose,
  ...context
}: Context & {
  collection: string;
  id: string;
  /** The record as a person knows it. */
  label: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['history', collection, id],
      queryFn: ({ pageParam }) =>
        call('getHistory', { params: { collection, id }, query: { limit: PAGE, offset: pageParam } }),
      initialPageParam: 0,
      getNextPageParam: (last) =>
        last.offset + last.resources.length < last.total ? last.offset + last.resources.length : undefined,
      staleTime: 0,
      gcTime: 0,
    });
  const entries = data?.pages.flatMap((page) => page.resources) ?? [];
  return (
    <SideDialog onClose={onClose} title={t('history.title')} subtitle={label} width={460}>
      {error ? (
        <p className="note-line bad" style={{ margin: 20 }} role="alert">
          <Icon name="danger" />
          <span className="sp">{errorText(error)}</span>
          <button type="button" className="link" onClick={() => void refetch()}>
            {t('common.retry')}
          </button>
        </p>
      ) : isPending ? (
        <div style={{ padding: 20, display: 'grid', gap: 20 }} aria-busy="true">
          {[260, 320, 200, 300].map((width) => (
            <span key={width} className="skel" style={{ width }} />
          ))}
        </div>
      ) : entries.length === 0 ? (
        <EmptyState icon="clock" title={t('history.empty')} text={t('history.emptyText')} />
      ) : (
        <ul className="hists">
          {entries.map((entry, i) => (
            <Entry key={`${entry.at} ${i}`} entry={entry} context={context} />
          ))}
        </ul>
      )}
      {hasNextPage ? (
        <p style={{ padding: 12, textAlign: 'center' }}>
          <button
            type="button"
            className="link"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t('history.older')}
          </button>
        </p>
      ) : null}
    </SideDialog>
  );
};
