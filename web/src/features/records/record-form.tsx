import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { useLeaveQuestion } from '../../ui/unfinished.tsx';
import { FormField } from './form-field.tsx';
import { Banner, FormFailed, FormSkeleton, LiveNote } from './form-notes.tsx';
import { type FormMode, isFieldLocked, sectionsOf } from './form-values.ts';
import { valueAtPath } from './row-state.ts';
import { type Loaded, useCachedRecord } from './use-form-record.ts';
import { useRecordForm } from './use-record-form.ts';
import './form.css';

export interface RecordFormProps {
  collection: string;
  title: string;
  /** Of the domain that the address names, for what an error says. */
  domainAcronym?: string | undefined;
  mode: FormMode;
  id: string | null;
  onBack: () => void;
  /** The field to begin at. */
  focusField?: string | null;
  /** Path of a table by its resource, for fields that refer to its records. */
  collectionOf: (resource: string) => string | null;
  /** Buttons of other features about this record, told the names of its fields. */
  renderTools: (id: string, label: string, columns: readonly GridColumn[]) => ReactNode;
}

/** `…/new`, `…/{id}/edit`, `…/new?copyFrom={id}`: one record as a form. */
export const RecordForm = (props: RecordFormProps) => {
  const { collection, mode, id } = props;
  const query = useCachedRecord(collection, mode, id);
  usePageTitle(props.title);
  if (query.error) return <FormFailed error={query.error} domainAcronym={props.domainAcronym} />;
  if (!query.data) return <FormSkeleton />;
  return <Form {...props} loaded={query.data} />;
};

const Form = ({
  collection,
  title,
  mode,
  id,
  onBack,
  loaded,
  focusField = null,
  collectionOf,
  renderTools,
}: RecordFormProps & { loaded: Loaded }) => {
  const { t } = useTranslation();
  const { metadata } = loaded;
  const record = useRecordForm({ collection, mode, id, loaded, onBack });
  const { columns, settings, operation, changes, isDirty } = record;
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (focusField === null) return;
    document.querySelector<HTMLElement>(`[data-field="${CSS.escape(focusField)}"]`)?.focus();
  }, [focusField]);
  const { question } = useLeaveQuestion({ isUnsaved: record.isUnsaved });

  /** Its label, else its key, as far as it has one. */
  const labelText = (): string => {
    const texts = [metadata.labelField, ...metadata.keyFields].map((id) => {
      const field = columns.find((column) => column.id === id)?.field;
      return field && record.resource
        ? cellText(valueAtPath(record.resource, field.id), field, settings).main
        : '';
    });
    return texts.find((text) => text !== '') ?? title;
  };
  const isLockedWhole = operation?.action === 'delete' || operation?.state === 'beingPushed';
  const isNewForbidden = mode !== 'edit' && !metadata.isInsertAllowed;
  const heading =
    mode === 'new'
      ? t('form.newTitle', { title })
      : mode === 'copy'
        ? t('form.copyTitle', { label: labelText() })
        : labelText();
  const canSave =
    metadata.readOnlyReason === null && !isLockedWhole && !isNewForbidden && (mode !== 'edit' || isDirty);
  const canDelete =
    mode === 'edit' &&
    metadata.readOnlyReason === null &&
    !isLockedWhole &&
    (metadata.isDeleteAllowed || operation?.action === 'add');
  return (
    <main
      id="main"
      tabIndex={-1}
      style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0, outline: 'none' }}
    >
      <form onSubmit={(event) => void record.submit(event)} noValidate style={{ display: 'contents' }}>
        <div className="page">
          <div
            className="page-in"
            style={{ display: 'grid', gap: 12, gridTemplateColumns: 'minmax(0, 1fr)' }}
          >
            <button
              type="button"
              className="link"
              style={{ justifySelf: 'start', display: 'flex', alignItems: 'center', gap: 2 }}
              onClick={onBack}
            >
              <Icon name="back" size="s" />
              {t('form.back', { title })}
            </button>
            <div className="frm-head">
              <h1>{heading}</h1>
              <span className="sub">{[metadata.systemName, ...metadata.levelNames].join(', ')}</span>
              <span className="sp" />
              {record.liveState === 'reading' ? (
                <output className="frm-live">
                  <Icon name="spinner" size="spin" />
                  {t('form.live', { system: metadata.systemName })}
                </output>
              ) : null}
              {mode === 'edit' && id !== null ? renderTools(id, labelText(), columns) : null}
            </div>
            <Banner
              operation={operation}
              metadata={metadata}
              settings={settings}
              onUndoDelete={record.undoDelete}
              onDecide={record.resolve}
            />
            <LiveNote
              state={record.liveState}
              differences={record.differences}
              columns={columns}
              metadata={metadata}
              settings={settings}
            />
            {isNewForbidden && metadata.readOnlyReason === null ? (
              <p className="note-line">
                <Icon name="lock" />
                {t('form.noInsert')}
              </p>
            ) : null}
            {record.isConflict ? (
              <p className="note-line warn" role="alert">
                <Icon name="warning" />
                <span className="sp">{t('form.changedMeanwhile')}</span>
                <button type="button" className="btn" onClick={record.readAnew}>
                  {t('form.readAnew')}
                </button>
              </p>
            ) : null}
            {sectionsOf(columns, record.values).map(([group, fields]) => (
              <section className="card" key={group ?? ''}>
                <h2 className="sect">{group ?? t('form.general')}</h2>
                <div className="frm">
                  {fields.map((column) => (
                    <FormField
                      key={column.id}
                      column={column}
                      text={record.form.texts[column.id] ?? ''}
                      value={record.values[column.id] ?? null}
                      array={record.form.arrays[column.id]}
                      version={record.version}
                      settings={settings}
                      isLocked={
                        isLockedWhole ||
                        isNewForbidden ||
                        isFieldLocked(column, mode, metadata, record.values, operation?.action === 'add')
                      }
                      isNew={mode !== 'edit'}
                      isChanged={column.id in changes}
                      error={record.errorAt(column)}
                      warning={record.warningAt(column)}
                      warningAt={(row, part) => record.warningInArray(column, row, part)}
                      pending={operation?.changes.find((change) => change.fieldName === column.id) ?? null}
                      systemName={metadata.systemName}
                      collectionOf={collectionOf}
                      onText={(text) => record.setText(column.id, text)}
                      onArray={(value, isBad) => record.setArray(column.id, value, isBad)}
                      onBlur={() => record.touch(column.id)}
                      onResolve={(choice) => record.resolve(choice, column.id)}
                    />
                  ))}
                </div>
              </section>
            ))}
          </div>
        </div>
        <div className="dlg-f">
          {canDelete ? (
            <button type="button" className="btn danger lg" onClick={() => setAsking(true)}>
              <Icon name="trash" />
              {t('form.delete')}
            </button>
          ) : null}
          {record.isHeldBack ? (
            <span className="err-t" role="alert">
              {t('form.fixErrors')}
            </span>
          ) : null}
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onBack}>
            {t(canSave || mode !== 'edit' || isDirty ? 'common.cancel' : 'common.close')}
          </button>
          {metadata.readOnlyReason === null ? (
            <button type="submit" className="btn primary lg" disabled={!canSave || record.isBusy}>
              {record.isBusy ? t('common.saving') : t('form.save')}
            </button>
          ) : null}
        </div>
      </form>
      {isAsking ? (
        <ConfirmDialog
          title={t('table.deleteTitle', { count: 1 })}
          text={t('table.deleteText', { system: metadata.systemName })}
          no={t('common.cancel')}
          yes={t('common.delete')}
          isDanger
          onNo={() => setAsking(false)}
          onYes={() => {
            setAsking(false);
            void record.remove();
          }}
        />
      ) : null}
      {question}
    </main>
  );
};
