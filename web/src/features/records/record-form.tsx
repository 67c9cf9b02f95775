import type { PendingOperation, Value } from '@sluice/contract';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cellText } from '../../grid/format-value.ts';
import type { GridTextKey } from '../../grid/texts.ts';
import type { GridColumn } from '../../grid/types.ts';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { ConfirmDialog } from './form-confirm.tsx';
import { FormField } from './form-field.tsx';
import { Banner, FormFailed, FormSkeleton, LiveNote } from './form-notes.tsx';
import {
  type Difference,
  type FormMode,
  type ReadForm,
  changedValues,
  followRecord,
  isFieldLocked,
  readForm,
  sectionsOf,
  startForm,
} from './form-values.ts';
import { allOperations, columnsOf, valueAtPath } from './row-state.ts';
import { type Loaded, useCachedRecord, useLiveRecord } from './use-form-record.ts';
import { useFormatSettings, useGridTranslate } from './use-table.ts';
import './form.css';

export interface RecordFormProps {
  collection: string;
  title: string;
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
  if (query.error) return <FormFailed error={query.error} />;
  if (!query.data) return <FormSkeleton />;
  return <Form {...props} loaded={query.data} />;
};

const pushErrorsOf = (operation: PendingOperation | null): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (operation?.pushErrors ?? []).flatMap((error) => (error.field ? [[error.field, error.msg]] : [])),
  );

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
  const settings = useFormatSettings();
  const translate = useGridTranslate();
  const { metadata } = loaded;
  const columns = useMemo(() => columnsOf(metadata.fieldsMetadata, true), [metadata]);
  const [resource, setResource] = useState(loaded.resource);
  const [operation, setOperation] = useState(loaded.operation);
  /** What the form began with, or began anew with when the record turned out to be another. */
  const [start, setStart] = useState(() => startForm(columns, resource, mode, settings));
  const [form, setForm] = useState(start);
  const [version, setVersion] = useState(0);
  const [differences, setDifferences] = useState<readonly Difference[]>([]);
  const [wrongArrays, setWrongArrays] = useState<ReadonlySet<string>>(new Set());
  const [serverErrors, setServerErrors] = useState(() => pushErrorsOf(operation));
  const [conflict, setConflict] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [wasTried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());

  /** The record as it is now: untouched fields follow. */
  const follow = (next: Record<string, unknown>, nextOperation: PendingOperation | null): Difference[] => {
    const fresh = startForm(columns, next, mode, settings);
    const followed = followRecord(form, start, fresh);
    setResource(next);
    setOperation(nextOperation);
    setServerErrors(pushErrorsOf(nextOperation));
    setStart(fresh);
    setForm(followed.form);
    if (followed.differences.length > 0) setVersion((count) => count + 1);
    return followed.differences;
  };
  const liveState = useLiveRecord(collection, mode === 'edit' ? id : null, (next, nextOperation) =>
    setDifferences(follow(next, nextOperation)),
  );
  useEffect(() => {
    if (focusField === null) return;
    document.querySelector<HTMLElement>(`[data-field="${CSS.escape(focusField)}"]`)?.focus();
  }, [focusField]);

  const startRead = useMemo(() => readForm(columns, start, mode, settings), [columns, start, mode, settings]);
  const read: ReadForm = readForm(columns, form, mode, settings);
  const changes = changedValues(read.values, startRead.values);
  const isWrong = Object.keys(read.faults).length > 0 || wrongArrays.size > 0;
  const isDirty = Object.keys(changes).length > 0 || isWrong;
  const isSaved = useRef(false);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && !isSaved.current && current.pathname !== next.pathname,
    withResolver: true,
    enableBeforeUnload: () => isDirty && !isSaved.current,
  });

  /** Its label, else its key, as far as it has one. */
  const labelText = (): string => {
    const texts = [metadata.labelField, ...metadata.keyFields].map((id) => {
      const field = columns.find((column) => column.id === id)?.field;
      return field && resource ? cellText(valueAtPath(resource, field.id), field, settings).main : '';
    });
    return texts.find((text) => text !== '') ?? title;
  };
  const isLockedWhole = operation?.action === 'delete' || operation?.state === 'beingPushed';
  const isNewForbidden = mode !== 'edit' && !metadata.isInsertAllowed;
  const ruleText = (broken: { code: number; params: Readonly<Record<string, Value>> }): string => {
    const params = Object.fromEntries(
      Object.entries(broken.params).map(([name, value]) => [
        name,
        name === 'field' ? (columns.find((one) => one.id === value)?.name ?? String(value)) : String(value),
      ]),
    );
    return translate(`rule${broken.code}` as GridTextKey, params);
  };
  const isTold = (field: string): boolean => touched.has(field) || wasTried || mode === 'edit';
  const warningText = (column: GridColumn): string | null => {
    const broken = read.warnings[column.id];
    if (broken) return isTold(column.id) ? ruleText(broken) : null;
    // Rules that only the server can check (unique, for one) hold until the value is another.
    const known = operation?.validationErrors.find((error) => error.field === column.id);
    return known && !(column.id in changes) ? known.message : null;
  };
  const errorAt = (column: GridColumn): string | null => {
    const fault = read.faults[column.id];
    if (fault && (touched.has(column.id) || wasTried))
      return t(`grid.${fault}` as 'grid.isInvalid', { x: form.texts[column.id] });
    return column.id in changes && mode === 'edit' ? null : (serverErrors[column.id] ?? null);
  };
  const touch = (field: string): void =>
    setTouched((now) => (now.has(field) ? now : new Set(now).add(field)));

  const leave = (message: string): void => {
    toast('success', message);
    isSaved.current = true;
    onBack();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setTried(true);
    if (isWrong) return;
    setBusy(true);
    setConflict(null);
    try {
      if (mode === 'edit' && id !== null) {
        if (Object.keys(changes).length > 0) {
          await call('patchRecord', {
            params: { collection, id },
            body: { revision: operation?.revision ?? 0, changes },
          });
        }
      } else {
        const filled = Object.fromEntries(
          Object.entries(read.values).filter(([field, value]) => {
            const column = columns.find((one) => one.id === field);
            return value !== null && column && !column.field.isReadOnly;
          }),
        );
        await call('insertRecords', { params: { collection }, body: filled });
      }
      leave(t('form.saved'));
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.fieldErrors.length > 0) {
        setServerErrors(
          Object.fromEntries(
            error.fieldErrors.map((one) => [
              one.field.replace(/^(\[\d+\]\.?)?(changes\.)?/, ''),
              one.message,
            ]),
          ),
        );
      }
      if (error instanceof ApiError && error.status === 409) setConflict(error.message);
      else toast('error', errorText(error));
    }
  };
  const reread = async (): Promise<void> => {
    if (id === null) return;
    const reply = await call('getRecord', { params: { collection, id } });
    follow(reply.resource, allOperations(reply.pendingOperations)[0] ?? null);
    setConflict(null);
  };
  const attempt = (work: Promise<unknown>): void => {
    work.then(reread).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) leave(t('form.notFound'));
      else toast('error', errorText(error));
    });
  };
  const resolve = (
    choice: 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard',
    field: string | null = null,
  ): void => {
    if (id === null) return;
    attempt(
      call('resolveConflicts', {
        params: { collection },
        body: [{ id, choice, ...(field === null ? {} : { field }) }],
      }),
    );
  };
  const undoDelete = (): void => {
    if (id !== null)
      attempt(call('discard', { params: { collection }, body: { insert: [], update: [], delete: [id] } }));
  };
  const remove = async (): Promise<void> => {
    setAsking(false);
    if (id === null) return;
    try {
      await call('deleteRecord', { params: { collection, id } });
      leave(t('form.deleted'));
    } catch (error) {
      toast('error', errorText(error));
    }
  };
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
      <form onSubmit={(event) => void submit(event)} noValidate style={{ display: 'contents' }}>
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
              {liveState === 'reading' ? (
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
              onUndoDelete={undoDelete}
              onDecide={resolve}
            />
            <LiveNote
              state={liveState}
              differences={differences}
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
            {conflict ? (
              <p className="note-line warn" role="alert">
                <Icon name="warning" />
                <span className="sp">{conflict}</span>
                <button type="button" className="btn" onClick={() => attempt(Promise.resolve())}>
                  {t('form.readAnew')}
                </button>
              </p>
            ) : null}
            {sectionsOf(columns, read.values).map(([group, fields]) => (
              <section className="card" key={group ?? ''}>
                <h2 className="sect">{group ?? t('form.general')}</h2>
                <div className="frm">
                  {fields.map((column) => (
                    <FormField
                      key={column.id}
                      column={column}
                      text={form.texts[column.id] ?? ''}
                      value={read.values[column.id] ?? null}
                      array={form.arrays[column.id]}
                      version={version}
                      settings={settings}
                      isLocked={
                        isLockedWhole || isNewForbidden || isFieldLocked(column, mode, metadata, read.values)
                      }
                      isNew={mode !== 'edit'}
                      isChanged={column.id in changes}
                      error={errorAt(column)}
                      warning={warningText(column)}
                      warningAt={(row, part) => {
                        const broken = read.warnings[`${column.id}[${row}].${part}`];
                        return broken && isTold(column.id) ? ruleText(broken) : null;
                      }}
                      pending={operation?.changes.find((change) => change.fieldName === column.id) ?? null}
                      systemName={metadata.systemName}
                      collectionOf={collectionOf}
                      onText={(text) => {
                        touch(column.id);
                        setForm((now) => ({ ...now, texts: { ...now.texts, [column.id]: text } }));
                      }}
                      onArray={(value, isBad) => {
                        touch(column.id);
                        setForm((now) => ({ ...now, arrays: { ...now.arrays, [column.id]: value } }));
                        setWrongArrays((now) => {
                          const next = new Set(now);
                          if (isBad) next.add(column.id);
                          else next.delete(column.id);
                          return next;
                        });
                      }}
                      onBlur={() => touch(column.id)}
                      onResolve={(choice) => resolve(choice, column.id)}
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
          {wasTried && isWrong ? (
            <span className="err-t" role="alert">
              {t('form.fixErrors')}
            </span>
          ) : null}
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onBack}>
            {t(canSave || mode !== 'edit' || isDirty ? 'common.cancel' : 'common.close')}
          </button>
          {metadata.readOnlyReason === null ? (
            <button type="submit" className="btn primary lg" disabled={!canSave || isBusy}>
              {isBusy ? t('common.saving') : t('form.save')}
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
          onYes={() => void remove()}
        />
      ) : null}
      {blocker.status === 'blocked' ? (
        <ConfirmDialog
          title={t('form.leave')}
          text={t('form.leaveText')}
          no={t('form.leaveStay')}
          yes={t('form.leaveGo')}
          isDanger
          onNo={blocker.reset}
          onYes={blocker.proceed}
        />
      ) : null}
    </main>
  );
};
