import type { TranslationTable } from '@sluice/contract';
import { type ClipboardEvent, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ConstantInput } from './constant-input.tsx';
import { mostTableRows, notFoundBehaviours, tableTypes } from './lists.ts';
import {
  appendRows,
  blankRow,
  faultsOf,
  parsePair,
  pasteRows,
  rowsOf,
  tableOf,
  type TextRow,
} from './translation-rows.ts';
import { TranslationSheet } from './translation-sheet.tsx';
import { typeName } from './words.ts';

/** The translation table of a step (S24): rows as in a small spreadsheet, and what is not found. */
export const TranslationDialog = ({
  table,
  suggestions,
  canEdit,
  zone,
  onClose,
  onSave,
}: {
  table: TranslationTable;
  /** Values of the samples that no row has. */
  suggestions: readonly string[];
  canEdit: boolean;
  zone: string;
  onClose: () => void;
  onSave: (table: TranslationTable) => void;
}) => {
  const { t } = useTranslation();
  const [settings, setSettings] = useState<Omit<TranslationTable, 'rows'>>(() => {
    const { rows: _, ...rest } = table;
    return rest;
  });
  const [rows, setRows] = useState<readonly TextRow[]>(() => rowsOf(table));
  const [message, setMessage] = useState<string | null>(null);
  const checked = useDeferredValue(rows);
  const faults = useMemo(() => faultsOf(checked, settings, zone), [checked, settings, zone]);
  const count = rows.filter(({ key, value }) => key !== '' || value !== '').length;
  const known = useMemo(() => new Set(rows.map(({ key }) => key)), [rows]);
  const unknown = suggestions.filter((value) => !known.has(value));
  const needsDefault =
    settings.notFound === 'default' && (settings.defaultValue === null || settings.defaultValue === '');

  /** True where the text was taken as rows; a single value is what the cell itself takes. */
  const take = (text: string, at: number | null): boolean => {
    const isOneCell = !/[\t\n\r]/.test(text.replace(/(\r\n|\n|\r)$/, ''));
    if (isOneCell && at !== null) return false;
    const pasted = parsePair(text);
    if (!pasted) {
      setMessage(t('mapping.pasteTwoColumns'));
      return true;
    }
    const next = at === null ? appendRows(rows, pasted) : pasteRows(rows, at, pasted);
    if (next.length > mostTableRows) {
      setMessage(t('mapping.tooManyRows', { count: mostTableRows }));
      return true;
    }
    setMessage(null);
    setRows(next);
    return true;
  };
  const handlePaste = (event: ClipboardEvent, at: number): void => {
    if (canEdit && take(event.clipboardData.getData('text/plain'), at)) event.preventDefault();
  };
  const pasteFromClipboard = async (): Promise<void> => {
    try {
      take(await navigator.clipboard.readText(), null);
    } catch {
      setMessage(t(isSecureContext ? 'grid.clipboardRefused' : 'grid.pasteNeedsHttps'));
    }
  };
  const setType = (end: 'inputType' | 'returnType', label: string) => (
    <label className="tr-f">
      <span>{label}</span>
      <span className="inp sm">
        <select
          value={settings[end]}
          disabled={!canEdit}
          onChange={(event) => {
            const type = tableTypes.find((one) => one === event.target.value) ?? 'string';
            setSettings((before) => ({ ...before, [end]: type }));
          }}
        >
          {[...new Set([...tableTypes, settings[end]])].map((type) => (
            <option key={type} value={type}>
              {typeName(type)}
            </option>
          ))}
        </select>
      </span>
    </label>
  );
  return (
    <Dialog
      isOpen
      isTall
      onClose={onClose}
      width={760}
      title={t('mapping.tableTitle')}
      subtitle={t('mapping.tableHint')}
      footer={
        <DialogFooter
          note={
            <output className="sec">
              {faults.size > 0
                ? t('mapping.wrongRows', { count: faults.size })
                : t('mapping.rowCount', { count })}
            </output>
          }
          close={t(canEdit ? 'common.cancel' : 'common.close')}
          onClose={onClose}
          action={
            canEdit
              ? {
                  label: t('common.apply'),
                  isDisabled: faults.size > 0 || needsDefault,
                  onClick: () => onSave(tableOf(rows, settings)),
                }
              : null
          }
        />
      }
    >
      <div className="mp-root tr-b">
        <div className="tr-h">
          {setType('inputType', t('mapping.inputType'))}
          {setType('returnType', t('mapping.returnType'))}
          <label className="tr-f">
            <span>{t('mapping.notFound')}</span>
            <span className="inp sm">
              <select
                value={settings.notFound}
                disabled={!canEdit}
                onChange={(event) => {
                  const notFound = notFoundBehaviours.find((one) => one === event.target.value) ?? 'error';
                  setSettings((before) => ({ ...before, notFound }));
                }}
              >
                {notFoundBehaviours.map((one) => (
                  <option key={one} value={one}>
                    {t(`mapping.notFound_${one}`)}
                  </option>
                ))}
              </select>
            </span>
          </label>
          {settings.notFound === 'default' ? (
            <div className="tr-f">
              <span>{t('mapping.defaultValue')}</span>
              <ConstantInput
                label={t('mapping.defaultValue')}
                type={settings.returnType}
                value={settings.defaultValue}
                isWrong={needsDefault}
                isDisabled={!canEdit}
                onChange={(defaultValue) => setSettings((before) => ({ ...before, defaultValue }))}
              />
            </div>
          ) : null}
        </div>
        {canEdit ? (
          <div className="tr-t">
            <button type="button" className="btn" onClick={() => void pasteFromClipboard()}>
              <Icon name="copy" size="s" />
              {t('mapping.paste')}
            </button>
            {unknown.length > 0 ? (
              <button
                type="button"
                className="btn"
                onClick={() =>
                  setRows(
                    appendRows(
                      rows,
                      unknown.map((key) => ({ key, value: '' })),
                    ),
                  )
                }
              >
                <Icon name="plus" size="s" />
                {t('mapping.addMissing', { count: unknown.length })}
              </button>
            ) : null}
          </div>
        ) : null}
        {message ? (
          <p className="note-line bad" role="alert">
            <Icon name="danger" />
            <span className="sp">{message}</span>
            <button
              type="button"
              className="iconbtn"
              aria-label={t('common.close')}
              onClick={() => setMessage(null)}
            >
              <Icon name="close" size="s" />
            </button>
          </p>
        ) : null}
        <TranslationSheet
          rows={canEdit && rows.length < mostTableRows ? [...rows, blankRow] : rows}
          faults={faults}
          canEdit={canEdit}
          onChange={(at, row) => setRows([...rows.slice(0, at), row, ...rows.slice(at + 1)])}
          onRemove={(at) => setRows(rows.filter((_, index) => index !== at))}
          onPaste={handlePaste}
        />
      </div>
    </Dialog>
  );
};
