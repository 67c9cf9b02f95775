import type { FieldError, PendingOperation, Value } from '@sluice/contract';
import { isSameValue } from '@sluice/mapping';
import { type FormEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GridTextKey } from '../../grid/texts.ts';
import type { GridColumn } from '../../grid/types.ts';
import { ApiError, call, callSurely, errorText } from '../../platform/call.ts';
import { newId } from '../../platform/ids.ts';
import { keepWork, takeWork } from '../../platform/saved-work.ts';
import { toast } from '../../ui/toasts.tsx';
import {
  type Difference,
  type FormMode,
  type ReadForm,
  changedValues,
  followRecord,
  readForm,
  startForm,
} from './form-values.ts';
import { allOperations, columnsOf } from './row-state.ts';
import { type Loaded, useLiveRecord } from './use-form-record.ts';
import { useFormatSettings, useGridTranslate } from './use-table.ts';

export type Decision = 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard';

interface FormOptions {
  collection: string;
  mode: FormMode;
  id: string | null;
  loaded: Loaded;
  onBack: () => void;
}

/** What the server said of the value of a field; it holds as long as the value is that one. */
interface Refusal {
  error: FieldError;
  value: Value;
}

/** Structural faults that the server names by these words; here they are worded anew when the language changes. */
const FAULTS: Readonly<Record<string, 'form.faultUnknown' | 'form.faultReadOnly' | 'grid.outOfRange'>> = {
  'field.unknown': 'form.faultUnknown',
  'field.readOnly': 'form.faultReadOnly',
  'field.outOfRange': 'grid.outOfRange',
};

const pushErrorsOf = (operation: PendingOperation | null): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (operation?.pushErrors ?? []).flatMap((error) => (error.field ? [[error.field, error.msg]] : [])),
  );

/** Refusals by the fields that the form shows; `others` have no field here. */
const placed = (
  { fieldErrors }: ApiError,
  columns: readonly GridColumn[],
  values: Readonly<Record<string, Value>>,
): { refusals: Record<string, Refusal>; others: FieldError[] } => {
  const known = new Set(columns.map((column) => column.id));
  const refusals: Record<string, Refusal> = {};
  const others: FieldError[] = [];
  for (const error of fieldErrors) {
    const field = error.field.replace(/^(\[\d+\]\.?)?(changes\.)?/, '');
    if (known.has(field)) refusals[field] ??= { error, value: values[field] ?? null };
    else others.push(error);
  }
  return { refusals, others };
};

/** What is typed into the form of one record, what is wrong with it, and what can be done with the record. */
export const useRecordForm = ({ collection, mode, id, loaded, onBack }: FormOptions) => {
  const { t } = useTranslation();
  const settings = useFormatSettings();
  const translate = useGridTranslate();
  const { metadata } = loaded;
  const columns = useMemo(() => columnsOf(metadata.fieldsMetadata, true), [metadata]);
  const [resource, setResource] = useState(loaded.resource);
  const [operation, setOperation] = useState(loaded.operation);
  /** What the form began with, or began anew with when the record turned out to be another. */
  const [start, setStart] = useState(() => startForm(columns, resource, mode, settings));
  const workKey = `form:${collection}:${mode}:${id ?? ''}`;
  const [form, setForm] = useState(() => takeWork<typeof start>(workKey) ?? start);
  const [version, setVersion] = useState(0);
  const [differences, setDifferences] = useState<readonly Difference[]>([]);
  const [wrongArrays, setWrongArrays] = useState<ReadonlySet<string>>(new Set());
  const [refusals, setRefusals] = useState<Readonly<Record<string, Refusal>>>({});
  const [isConflict, setConflict] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [wasTried, setTried] = useState(false);
  /** What the new record is called until the server has given it an id: saved twice it is still one. */
  const [name] = useState(newId);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());

  /** The record as it is now: untouched fields follow. */
  const follow = (next: Record<string, unknown>, nextOperation: PendingOperation | null): Difference[] => {
    const fresh = startForm(columns, next, mode, settings);
    const followed = followRecord(form, start, fresh);
    setResource(next);
    setOperation(nextOperation);
    setStart(fresh);
    setForm(followed.form);
    if (followed.differences.length > 0) setVersion((count) => count + 1);
    return followed.differences;
  };
  // Loaded anew in another language: what the server words itself about the record comes with it.
  const [shown, setShown] = useState(loaded);
  if (shown !== loaded) {
    setShown(loaded);
    if (mode === 'edit' && loaded.resource) follow(loaded.resource, loaded.operation);
  }
  const liveState = useLiveRecord(collection, mode === 'edit' ? id : null, (next, nextOperation) =>
    setDifferences(follow(next, nextOperation)),
  );

  const startRead = useMemo(() => readForm(columns, start, mode, settings), [columns, start, mode, settings]);
  const read: ReadForm = readForm(columns, form, mode, settings);
  const changes = changedValues(read.values, startRead.values);
  /** A text of the external system that is no value stays as it is; it does not keep the other fields from being saved. */
  const isReceived = (field: string): boolean => mode === 'edit' && form.texts[field] === start.texts[field];
  const isWrong = Object.keys(read.faults).some((field) => !isReceived(field)) || wrongArrays.size > 0;
  const isDirty = Object.keys(changes).length > 0 || isWrong;
  const isSaved = useRef(false);
  const unfinished = useEffectEvent(() => (isDirty && !isSaved.current ? form : undefined));
  useEffect(() => keepWork(workKey, () => unfinished()), [workKey]);

  const ruleText = (broken: { code: number; params: Readonly<Record<string, Value>> }): string => {
    const params = Object.fromEntries(
      Object.entries(broken.params).map(([name, value]) => [
        name,
        name === 'field' ? (columns.find((one) => one.id === value)?.name ?? String(value)) : String(value),
      ]),
    );
    return translate(`rule${broken.code}` as GridTextKey, params);
  };
  const faultText = (column: GridColumn, fault: string): string =>
    t(`grid.${fault}` as 'grid.isInvalid', { x: form.texts[column.id] });
  const isTold = (field: string): boolean => touched.has(field) || wasTried || mode === 'edit';
  const warningAt = (column: GridColumn): string | null => {
    const fault = read.faults[column.id];
    if (fault && isReceived(column.id)) return faultText(column, fault);
    const broken = read.warnings[column.id];
    if (broken) return isTold(column.id) ? ruleText(broken) : null;
    // Rules that only the server can check (unique, for one) hold until the value is another.
    const known = operation?.validationErrors.find((error) => error.field === column.id);
    return known && !(column.id in changes) ? known.message : null;
  };
  const refusalText = ({ params, message }: FieldError): string => {
    const key = FAULTS[String(params['key'])];
    return key ? t(key, { system: metadata.systemName }) : message;
  };
  const pushErrors = pushErrorsOf(operation);
  const errorAt = (column: GridColumn): string | null => {
    const fault = read.faults[column.id];
    if (fault && !isReceived(column.id) && (touched.has(column.id) || wasTried))
      return faultText(column, fault);
    const refusal = refusals[column.id];
    if (refusal && isSameValue(refusal.value, read.values[column.id] ?? null))
      return refusalText(refusal.error);
    return column.id in changes && mode === 'edit' ? null : (pushErrors[column.id] ?? null);
  };
  /** What is broken in one cell of an array. */
  const warningInArray = (column: GridColumn, row: number, part: string): string | null => {
    const broken = read.warnings[`${column.id}[${row}].${part}`];
    return broken && isTold(column.id) ? ruleText(broken) : null;
  };
  const touch = (field: string): void =>
    setTouched((now) => (now.has(field) ? now : new Set(now).add(field)));
  const setText = (field: string, text: string): void => {
    touch(field);
    setForm((now) => ({ ...now, texts: { ...now.texts, [field]: text } }));
  };
  const setArray = (field: string, value: Value, isBad: boolean): void => {
    touch(field);
    setForm((now) => ({ ...now, arrays: { ...now.arrays, [field]: value } }));
    setWrongArrays((now) => {
      const next = new Set(now);
      if (isBad) next.add(field);
      else next.delete(field);
      return next;
    });
  };

  useEffect(() => {
    const first = columns.find((column) => column.id in refusals);
    if (first) document.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.id)}"]`)?.focus();
  }, [refusals, columns]);

  const leave = (message: string): void => {
    toast('success', message);
    isSaved.current = true;
    onBack();
  };
  const save = async (): Promise<void> => {
    if (mode === 'edit' && id !== null) {
      if (Object.keys(changes).length === 0) return;
      const body = { revision: operation?.revision ?? 0, changes };
      await call('patchRecord', { params: { collection, id }, body });
      return;
    }
    const filled = Object.fromEntries(
      Object.entries(read.values).filter(([field, value]) => {
        const column = columns.find((one) => one.id === field);
        return value !== null && column && !column.field.isReadOnly;
      }),
    );
    await callSurely('insertRecords', { params: { collection }, body: { ...filled, internalId: name } });
  };
  const noteRefused = (error: unknown): void => {
    if (error instanceof ApiError && error.status === 409) {
      setConflict(true);
      return;
    }
    const { refusals: next, others } =
      error instanceof ApiError ? placed(error, columns, read.values) : { refusals: {}, others: [] };
    setRefusals(next);
    const isAllPlaced = Object.keys(next).length > 0 && others.length === 0;
    if (!isAllPlaced) toast('error', others[0]?.message ?? errorText(error));
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setTried(true);
    if (isWrong) return;
    setBusy(true);
    setConflict(false);
    setRefusals({});
    try {
      await save();
      leave(t('form.saved'));
    } catch (error) {
      setBusy(false);
      noteRefused(error);
    }
  };
  const reread = async (): Promise<void> => {
    if (id === null) return;
    const reply = await call('getRecord', { params: { collection, id } });
    follow(reply.resource, allOperations(reply.pendingOperations)[0] ?? null);
    setConflict(false);
  };
  const attempt = (work: Promise<unknown>): void => {
    work.then(reread).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) leave(t('form.notFound'));
      else toast('error', errorText(error));
    });
  };
  const resolve = (choice: Decision, field: string | null = null): void => {
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
    if (id === null) return;
    try {
      await call('deleteRecord', { params: { collection, id } });
      leave(t('form.deleted'));
    } catch (error) {
      toast('error', errorText(error));
    }
  };
  const hasErrors = isWrong || columns.some((column) => errorAt(column) !== null);
  return {
    settings,
    columns,
    resource,
    operation,
    form,
    version,
    differences,
    liveState,
    values: read.values,
    changes,
    isDirty,
    isBusy,
    /** Saving was tried, and something at a field stands in its way. */
    isHeldBack: wasTried && hasErrors,
    /** Somebody else changed it meanwhile. */
    isConflict,
    /** Something that is typed would be lost by leaving. */
    isUnsaved: (): boolean => isDirty && !isSaved.current,
    errorAt,
    warningAt,
    warningInArray,
    touch,
    setText,
    setArray,
    submit,
    readAnew: () => attempt(Promise.resolve()),
    resolve,
    undoDelete,
    remove,
  };
};
