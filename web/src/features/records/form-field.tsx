import type { PendingChange, Value } from '@sluice/contract';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isArrayField } from '../../grid/edit-plan.ts';
import { type FormatSettings, cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { Labelled } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ArrayTable } from './array-editor.tsx';
import { FileField } from './file-field.tsx';
import { ReferenceField } from './reference-field.tsx';
import './form.css';

export interface FormFieldProps {
  column: GridColumn;
  text: string;
  /** What the text stands for. */
  value: Value;
  array: Value | undefined;
  /** Another number: the array came from elsewhere and is shown anew. */
  version: number;
  settings: FormatSettings;
  isLocked: boolean;
  isNew: boolean;
  isChanged: boolean;
  error: string | null;
  warning: string | null;
  warningAt: (row: number, part: string) => string | null;
  /** The pending change of this field that was there before this form. */
  pending: PendingChange | null;
  systemName: string;
  /** Path of a table by its resource; null where it cannot be reached. */
  collectionOf: (resource: string) => string | null;
  onText: (text: string) => void;
  onArray: (value: Value, isWrong: boolean) => void;
  onBlur: () => void;
  onResolve: (choice: 'keepMine' | 'takeTheirs') => void;
}

const isWide = (column: GridColumn): boolean =>
  isArrayField(column.field) || column.field.format === 'multiline' || column.field.format === 'base64';

/** Both values of a field that changed on both sides. */
const Both = ({
  change,
  column,
  settings,
  systemName,
  onResolve,
}: Pick<FormFieldProps, 'column' | 'settings' | 'systemName' | 'onResolve'> & { change: PendingChange }) => {
  const { t } = useTranslation();
  const shown = (value: Value | undefined): string =>
    cellText(value, column.field, settings).main || t('common.empty');
  return (
    <div className="two">
      <div>
        <span className="cap">{t('push.now', { system: systemName })}</span>
        <b>{shown(change.theirs)}</b>
        <button type="button" className="btn" onClick={() => onResolve('takeTheirs')}>
          {t('push.takeTheirs')}
        </button>
      </div>
      <div>
        <span className="cap">{t('form.pendingHere')}</span>
        <b>{shown(change.newValue)}</b>
        <button type="button" className="btn" onClick={() => onResolve('keepMine')}>
          {t('push.keepMine')}
        </button>
      </div>
    </div>
  );
};

/** The input of one field, by its descriptor. */
export const FormField = (props: FormFieldProps) => {
  const { column, settings, error, warning, pending, isChanged } = props;
  const { t } = useTranslation();
  const { field } = column;
  const old = pending && !isArrayField(field) && field.format !== 'base64' ? pending.oldValue : undefined;
  const hint =
    old !== undefined && props.isNew === false && pending?.action === 'update'
      ? t('form.old', { value: cellText(old, field, settings).main || t('common.empty') })
      : (field.dataType === 'date' || field.dataType === 'datetime') && !props.isLocked
        ? settings.formats.shortDate + (field.dataType === 'datetime' ? ' hh:mm' : '')
        : (field.help ?? null);
  return (
    <div className={isWide(column) ? 'wide' : ''}>
      <Labelled
        label={column.name}
        error={error}
        warning={warning}
        hint={hint}
        isChanged={isChanged}
        isRequired={field.isMandatory && !field.hasServerDefault}
      >
        {(ids) => <Control {...props} ids={ids} />}
      </Labelled>
      {pending?.theirs === undefined ? null : (
        <div className="fl">
          <Both
            change={pending}
            column={column}
            settings={settings}
            systemName={props.systemName}
            onResolve={props.onResolve}
          />
        </div>
      )}
    </div>
  );
};

type Ids = Parameters<Parameters<typeof Labelled>[0]['children']>[0];

const Control = ({
  ids,
  column,
  text,
  value,
  array,
  version,
  settings,
  isLocked,
  isNew,
  error,
  warningAt,
  collectionOf,
  onText,
  onArray,
  onBlur,
}: FormFieldProps & { ids: Ids }): ReactNode => {
  const { t } = useTranslation();
  const { field } = column;
  if (isArrayField(field)) {
    return (
      <ArrayTable
        key={version}
        field={field}
        value={array ?? null}
        settings={settings}
        isReadOnly={isLocked}
        warningOf={(row, part) => warningAt(row, part.id)}
        onChange={onArray}
      />
    );
  }
  if (field.format === 'base64') {
    return (
      <FileField
        id={ids.id}
        describedBy={ids['aria-describedby']}
        fieldId={column.id}
        name={column.name}
        text={text}
        isLocked={isLocked}
        isWrong={error !== null}
        onText={onText}
      />
    );
  }
  const referenced = field.reference ? collectionOf(field.reference.resourceTypeUriId) : null;
  if (field.reference && referenced !== null && !field.options?.length) {
    return (
      <ReferenceField
        ids={ids}
        fieldId={column.id}
        collection={referenced}
        reference={field.reference}
        value={value}
        text={text}
        isLocked={isLocked}
        isWrong={error !== null}
        onText={onText}
        onBlur={onBlur}
      />
    );
  }
  const isLong = field.format === 'multiline';
  const wrap = `inp sm ${error ? 'bad' : ''} ${isLocked ? 'ro' : ''} ${isLong ? 'area' : ''}`;
  const common = { ...ids, 'data-field': column.id, disabled: isLocked, onBlur };
  if (field.options?.length || field.dataType === 'bool') {
    const options = field.options?.length
      ? field.options.map((option) => ({
          value: String(option.value),
          label: option.description ? `${String(option.value)} ${option.description}` : String(option.value),
        }))
      : [
          { value: settings.yes, label: settings.yes },
          { value: settings.no, label: settings.no },
        ];
    const isKnown = text === '' || options.some((option) => option.value === text);
    return (
      <span className={wrap}>
        <select {...common} value={text} onChange={(event) => onText(event.target.value)}>
          <option value="">{t('form.notSet')}</option>
          {isKnown ? null : <option value={text}>{text}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </span>
    );
  }
  if (isLong) {
    return (
      <span className={wrap}>
        <textarea
          {...common}
          rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      </span>
    );
  }
  const isLink =
    (field.format === 'url' && /^(https?|ftp):\/\/[^/]/i.test(text) && URL.canParse(text)) ||
    (field.format === 'email' && /^[^\s@]+@[^\s@]+$/.test(text));
  return (
    <span className={wrap}>
      <input
        {...common}
        value={text}
        placeholder={isNew && field.hasServerDefault ? t('form.onPush') : undefined}
        style={
          column.align === 'end' ? { textAlign: 'right', fontVariantNumeric: 'tabular-nums' } : undefined
        }
        onChange={(event) => onText(event.target.value)}
      />
      {isLink ? (
        <a
          className="open"
          href={field.format === 'email' ? `mailto:${text}` : text}
          target="_blank"
          rel="noreferrer"
          aria-label={t('form.openLink', { field: column.name })}
          title={t('form.openLink', { field: column.name })}
        >
          <Icon name="arrowRight" size="s" />
        </a>
      ) : null}
    </span>
  );
};
