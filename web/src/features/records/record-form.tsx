import type { CollectionMetadata, PendingOperation, Value } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { isArrayField } from '../../grid/edit-plan.ts';
import { cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { ArrayEditor } from './array-editor.tsx';
import { FormField } from './form-field.tsx';
import {
  type FormMode,
  type FormState,
  changedValues,
  isFieldLocked,
  isFieldShown,
  readForm,
  startForm,
} from './form-values.ts';
import { allOperations, columnsOf, valueAtPath } from './row-state.ts';
import type { GridTextKey } from '../../grid/texts.ts';
import { useFormatSettings, useGridTranslate } from './use-table.ts';

interface Loaded {
  metadata: CollectionMetadata;
  resource: Record<string, unknown> | null;
  operation: PendingOperation | null;
}

const load = async (collection: string, mode: FormMode, id: string | null): Promise<Loaded> => {
  if (mode === 'new' || id === null) {
    const reply = await call('getRecords', {
      params: { collection },
      query: { limit: 0, metadata: 'field-options', templateResource: 'true', noTotal: 'true' },
    });
    if (!reply.metadata) throw new ApiError('API_ERR', 0, 'metadata is missing', null);
    return { metadata: reply.metadata, resource: reply.templateResource ?? null, operation: null };
  }
  const reply = await call('getRecord', { params: { collection, id }, query: { metadata: 'field-options' } });
  if (!reply.metadata) throw new ApiError('API_ERR', 0, 'metadata is missing', null);
  return {
    metadata: reply.metadata,
    resource: reply.resource,
    operation: mode === 'edit' ? (allOperations(reply.pendingOperations)[0] ?? null) : null,
  };
};

export interface RecordFormProps {
  collection: string;
  title: string;
  mode: FormMode;
  id: string | null;
  onBack: () => void;
  /** The field to begin at. */
  focusField?: string | null;
}

/** `…/new`, `…/{id}/edit`, `…/new?copyFrom={id}`: one record as a form. */
export const RecordForm = (props: RecordFormProps) => {
  const { t } = useTranslation();
  const { collection, mode, id } = props;
  const query = useQuery({
    queryKey: ['record', collection, mode, id],
    queryFn: () => load(collection, mode, id),
    staleTime: 0,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  usePageTitle(props.title);
  if (query.error) {
    const { error } = query;
    if (error instanceof ApiError && error.status === 404)
      return <ErrorView code="404" message={t('form.notFound')} />;
    return error instanceof ApiError ? (
      <ErrorView
        code={error.code}
        status={error.status || undefined}
        message={error.message}
        logs={error.body?.logs}
      />
    ) : (
      <ErrorView code="APP_UNEXPECTED_ERROR" message={errorText(error)} />
    );
  }
  if (!query.data) {
    return (
      <main className="page" id="main" tabIndex={-1} aria-busy="true">
        <div className="page-in" style={{ display: 'grid', gap: 24 }}>
          {[320, 540, 460, 500, 420].map((width) => (
            <span key={width} className="skel" style={{ width }} />
          ))}
        </div>
      </main>
    );
  }
  return <Form {...props} loaded={query.data} />;
};

const Banner = ({ operation, systemName }: { operation: PendingOperation | null; systemName: string }) => {
  const { t } = useTranslation();
  if (!operation) return null;
  if (operation.pushErrors.length > 0) {
    return (
      <p className="note-line bad" role="alert">
        <Icon name="danger" />
        <span>
          <b>{t('form.rejected', { system: systemName })}: </b>
          {operation.pushErrors.map((error) => error.msg).join(' · ')}
        </span>
      </p>
    );
  }
  const key =
    operation.state === 'beingPushed'
      ? 'form.isPushing'
      : operation.action === 'delete'
        ? 'form.isDeleted'
        : operation.action === 'add'
          ? 'form.isNew'
          : 'form.isPending';
  return (
    <p className="note-line">
      <Icon name="info" />
      {t(key)}
    </p>
  );
};

/** Sections: fields of the record itself first, then one per nested element. */
const sectionsOf = (
  columns: readonly GridColumn[],
  values: Record<string, Value>,
): [string | null, GridColumn[]][] => {
  const sections = new Map<string | null, GridColumn[]>();
  for (const column of columns) {
    if (!isFieldShown(column, values)) continue;
    sections.set(column.group, [...(sections.get(column.group) ?? []), column]);
  }
  return [...sections];
};

const Form = ({ collection, title, mode, id, onBack, loaded }: RecordFormProps & { loaded: Loaded }) => {
  const { t } = useTranslation();
  const settings = useFormatSettings();
  const translate = useGridTranslate();
  const { metadata, resource, operation } = loaded;
  const columns = useMemo(() => columnsOf(metadata.fieldsMetadata, true), [metadata]);
  const [start] = useState<FormState>(() => startForm(columns, resource, mode, settings));
  const [form, setForm] = useState(start);
  const [serverErrors, setServerErrors] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      (operation?.pushErrors ?? []).flatMap((error) => (error.field ? [[error.field, error.msg]] : [])),
    ),
  );
  const [conflict, setConflict] = useState<string | null>(null);
  const [openArray, setOpenArray] = useState<GridColumn | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [wasTried, setTried] = useState(false);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());

  const [startRead] = useState(() => readForm(columns, start, mode, settings));
  const read = readForm(columns, form, mode, settings);
  const changes = changedValues(read.values, startRead.values);
  const isDirty = Object.keys(changes).length > 0 || Object.keys(read.faults).length > 0;
  const isSaved = useRef(false);
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && !isSaved.current,
    withResolver: true,
    enableBeforeUnload: () => isDirty && !isSaved.current,
  });

  const labelText = (): string => {
    const field = columns.find((column) => column.id === metadata.labelField)?.field;
    const value = field && resource ? valueAtPath(resource, field.id) : null;
    return field && value !== null ? cellText(value, field, settings).main : title;
  };
  const isLockedWhole = operation?.action === 'delete' || operation?.state === 'beingPushed';
  const warningText = (column: GridColumn): string | null => {
    const broken = read.warnings[column.id];
    if (!broken || !(touched.has(column.id) || wasTried || mode === 'edit')) return null;
    const params = Object.fromEntries(
      Object.entries(broken.params).map(([name, value]) => [
        name,
        name === 'field' ? (columns.find((one) => one.id === value)?.name ?? String(value)) : String(value),
      ]),
    );
    return translate(`rule${broken.code}` as GridTextKey, params);
  };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(read.faults).length > 0) return;
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
      toast('success', t('form.saved'));
      isSaved.current = true;
      onBack();
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
  const heading =
    mode === 'new'
      ? t('form.newTitle', { title })
      : mode === 'copy'
        ? t('form.copyTitle', { label: labelText() })
        : labelText();
  const canSave = metadata.readOnlyReason === null && !isLockedWhole && (mode !== 'edit' || isDirty);
  return (
    <main
      id="main"
      tabIndex={-1}
      style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0, outline: 'none' }}
    >
      <form onSubmit={(event) => void submit(event)} noValidate style={{ display: 'contents' }}>
        <div className="page">
          <div className="page-in" style={{ display: 'grid', gap: 12 }}>
            <button
              type="button"
              className="link"
              style={{ justifySelf: 'start', display: 'flex', alignItems: 'center', gap: 2 }}
              onClick={onBack}
            >
              <Icon name="back" size="s" />
              {t('form.back', { title })}
            </button>
            <div className="page-h" style={{ marginBottom: 0 }}>
              <h1>{heading}</h1>
              <span className="sub">{[metadata.systemName, ...metadata.levelNames].join(', ')}</span>
            </div>
            <Banner operation={operation} systemName={metadata.systemName} />
            {conflict ? (
              <p className="note-line warn" role="alert">
                <Icon name="warning" />
                {conflict}
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
                      array={form.arrays[column.id]}
                      settings={settings}
                      isLocked={isLockedWhole || isFieldLocked(column, mode, metadata, read.values)}
                      isNew={mode !== 'edit'}
                      isChanged={column.id in changes}
                      error={
                        (read.faults[column.id] && (touched.has(column.id) || wasTried)
                          ? t(`grid.${read.faults[column.id]}` as 'grid.isInvalid', {
                              x: form.texts[column.id],
                            })
                          : null) ??
                        serverErrors[column.id] ??
                        null
                      }
                      warning={warningText(column)}
                      onText={(text) =>
                        setForm((now) => ({ ...now, texts: { ...now.texts, [column.id]: text } }))
                      }
                      onBlur={() => setTouched((now) => new Set(now).add(column.id))}
                      onOpenArray={() => setOpenArray(column)}
                    />
                  ))}
                </div>
              </section>
            ))}
          </div>
        </div>
        <div className="dlg-f">
          {wasTried && Object.keys(read.faults).length > 0 ? (
            <span className="err-t" role="alert">
              {t('form.fixErrors')}
            </span>
          ) : null}
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onBack}>
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={!canSave || isBusy}>
            {isBusy ? t('common.saving') : t('form.save')}
          </button>
        </div>
      </form>
      {openArray && isArrayField(openArray.field) ? (
        <ArrayEditor
          field={openArray.field}
          value={form.arrays[openArray.id] ?? null}
          settings={settings}
          isReadOnly={isLockedWhole || isFieldLocked(openArray, mode, metadata, read.values)}
          onClose={() => setOpenArray(null)}
          onSave={(value) => {
            setForm((now) => ({ ...now, arrays: { ...now.arrays, [openArray.id]: value } }));
            setOpenArray(null);
          }}
        />
      ) : null}
      {blocker.status === 'blocked' ? (
        <Dialog
          isOpen
          onClose={blocker.reset}
          title={t('form.leave')}
          footer={
            <>
              <span className="sp" />
              <button type="button" className="btn lg" onClick={blocker.reset} data-autofocus>
                {t('form.leaveStay')}
              </button>
              <button type="button" className="btn danger lg" onClick={blocker.proceed}>
                {t('form.leaveGo')}
              </button>
            </>
          }
        >
          <p style={{ padding: '0 20px 20px' }}>{t('form.leaveText')}</p>
        </Dialog>
      ) : null}
    </main>
  );
};
