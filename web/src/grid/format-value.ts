import type { FieldDescriptor, Formats, Value } from '@sluice/contract';
import { formatNumber, formatValue } from '@sluice/mapping';

type DisplayMode = 'value' | 'description' | 'both';

/** How this user wants values written. */
export interface FormatSettings {
  formats: Formats;
  timeZone: string;
  displayMode: DisplayMode;
  /** Words for yes and no in the user's language. */
  yes: string;
  no: string;
}

const scalarText = (value: Value, field: FieldDescriptor, settings: FormatSettings): string => {
  if (value === true) return settings.yes;
  if (value === false) return settings.no;
  return formatValue(field, value, settings);
};

const optionOf = (
  field: FieldDescriptor,
  value: Value,
): { value: string | number | boolean; description?: string | undefined } | undefined =>
  field.options?.find((option) => option.value === value || String(option.value) === String(value));

/** Text of a cell, with the lighter second part of an option. */
export const cellText = (
  value: Value | undefined,
  field: FieldDescriptor,
  settings: FormatSettings,
): { main: string; extra: string } => {
  if (value === null || value === undefined || value === '') return { main: '', extra: '' };
  if (Array.isArray(value)) return { main: arrayText(value, field), extra: '' };
  const main = scalarText(value, field, settings);
  const description = field.options ? optionOf(field, value)?.description : undefined;
  if (!description || description === main || settings.displayMode === 'value') return { main, extra: '' };
  if (settings.displayMode === 'description') return { main: description, extra: '' };
  return { main, extra: description };
};

const arrayText = (value: readonly Value[], field: FieldDescriptor): string =>
  field.kind === 'primitiveValuesArray' ? value.map(String).join(', ') : String(value.length);

/** What copying a cell puts on the clipboard and the editor starts with: the value, not its description. */
export const clipboardText = (
  value: Value | undefined,
  field: FieldDescriptor,
  settings: FormatSettings,
): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return JSON.stringify(value);
  if (typeof value === 'number' && field.dataType !== 'nonFormattableInt') {
    const { numberFormat } = settings.formats;
    const scale = field.dataType === 'float64' ? field.scale : undefined;
    return formatNumber(value, numberFormat, { isGrouped: false, scale });
  }
  return scalarText(value, field, settings);
};
