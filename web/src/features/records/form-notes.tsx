import type { CollectionMetadata, PendingOperation } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { isArrayField } from '../../grid/edit-plan.ts';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { ApiError } from '../../platform/call.ts';
import { moment } from '../../platform/time.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import type { Difference } from './form-values.ts';
import type { LiveState } from './use-form-record.ts';

const READ_ONLY = {
  noRight: 'table.readOnlyNoRight',
  domainInactive: 'table.readOnlyInactive',
  externalSystem: 'table.readOnlyExternal',
} as const;

/** What is going on with the record as a whole. */
export const Banner = ({
  operation,
  metadata,
  settings,
  onUndoDelete,
  onDecide,
}: {
  operation: PendingOperation | null;
  metadata: CollectionMetadata;
  settings: FormatSettings;
  onUndoDelete: () => void;
  /** For a record that vanished from the external system. */
  onDecide: (choice: 'insertAgain' | 'discard') => void;
}) => {
  const { t } = useTranslation();
  const system = metadata.systemName;
  const notes = [];
  if (metadata.readOnlyReason !== null) {
    notes.push(
      <p className="note-line" key="readOnly">
        <Icon name="lock" />
        {t(READ_ONLY[metadata.readOnlyReason], { system })}
      </p>,
    );
  }
  if (operation?.isGone) {
    notes.push(
      <p className="note-line warn" role="alert" key="gone">
        <Icon name="warning" />
        <span className="sp">{t('push.gone', { system })}</span>
        <button type="button" className="btn" onClick={() => onDecide('insertAgain')}>
          {t('push.insertAgain')}
        </button>
        <button type="button" className="btn" onClick={() => onDecide('discard')}>
          {t('push.dropChange')}
        </button>
      </p>,
    );
  } else if (operation && operation.pushErrors.length > 0) {
    const at = operation.pushErrors[0]?.at;
    notes.push(
      <p className="note-line bad" role="alert" key="rejected">
        <Icon name="danger" />
        <span>
          <b>{t('form.rejected', { system })}</b>
          {at ? ` (${moment(at, settings.formats)})` : ''}:{' '}
          {operation.pushErrors.map((error) => error.msg).join(' · ')}
        </span>
      </p>,
    );
  } else if (operation?.state === 'conflict') {
    notes.push(
      <p className="note-line warn" role="alert" key="conflict">
        <Icon name="warning" />
        {t('form.isConflict', { system })}
      </p>,
    );
  } else if (operation) {
    const key =
      operation.state === 'beingPushed'
        ? 'form.isPushing'
        : operation.action === 'delete'
          ? 'form.isDeleted'
          : operation.action === 'add'
            ? 'form.isNew'
            : 'form.isPending';
    notes.push(
      <p className="note-line" key="pending">
        <Icon name="info" />
        <span className="sp">{t(key)}</span>
        {operation.action === 'delete' && operation.state !== 'beingPushed' ? (
          <button type="button" className="btn" onClick={onUndoDelete}>
            <Icon name="undo" size="s" />
            {t('table.undoDelete')}
          </button>
        ) : null}
      </p>,
    );
  }
  return <>{notes}</>;
};

/** That the record is being read anew, and what turned out to differ. */
export const LiveNote = ({
  state,
  differences,
  columns,
  metadata,
  settings,
}: {
  state: LiveState;
  differences: readonly Difference[];
  columns: readonly GridColumn[];
  metadata: CollectionMetadata;
  settings: FormatSettings;
}) => {
  const { t } = useTranslation();
  const system = metadata.systemName;
  if (state === 'failed') {
    const time = metadata.cachedAt ? moment(metadata.cachedAt, settings.formats) : '?';
    return (
      <p className="note-line warn">
        <Icon name="warning" />
        {t('form.liveFailed', { system, time })}
      </p>
    );
  }
  if (differences.length === 0) return null;
  const shown = (value: Difference['now']): string =>
    typeof value === 'string' && value !== '' ? value : t('common.empty');
  return (
    <div className="note-line frm-note" aria-live="polite" style={{ alignItems: 'start' }}>
      <Icon name="info" />
      <div>
        {t('form.liveDiffers', { system, count: differences.length })}
        <ul>
          {differences.map(({ field, before, now, isKept }) => {
            const column = columns.find((one) => one.id === field);
            return (
              <li key={field}>
                <b>{column?.name ?? field}</b>
                {column && isArrayField(column.field)
                  ? null
                  : `: ${t('form.wasNow', { before: shown(before), now: shown(now) })}`}
                {isKept ? ` (${t('form.yoursKept')})` : ''}
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
};

export const FormFailed = ({
  error,
  domainAcronym,
}: {
  error: unknown;
  domainAcronym?: string | undefined;
}) => {
  const { t } = useTranslation();
  if (error instanceof ApiError && error.status === 404)
    return <ErrorView code="404" message={t('form.notFound')} />;
  return <ErrorView error={error} domain={domainAcronym} />;
};

export const FormSkeleton = () => (
  <main className="page" id="main" tabIndex={-1} aria-busy="true">
    <div className="page-in" style={{ display: 'grid', gap: 24 }}>
      {[320, 540, 460, 500, 420].map((width) => (
        <span key={width} className="skel" style={{ width }} />
      ))}
    </div>
  </main>
);
