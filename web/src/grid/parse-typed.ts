import type { FieldDescriptor, Value } from '@sluice/contract';
import { type TypedProblem, isCalendarDate, parseFormattedDate, parseTyped } from '@sluice/mapping';
import type { FormatSettings } from './format-value.ts';
import type { GridTextKey } from './texts.ts';

export type Parsed = { ok: true; value: Value } | { ok: false; fault: GridTextKey };

const FAULTS: Record<TypedProblem, GridTextKey> = {
  positiveInteger: 'mustBePositiveInteger',
  integer: 'mustBeInteger',
  float: 'mustBeFloat',
  invalid: 'isInvalid',
  outOfRange: 'outOfRange',
};

/** The value of a typed or pasted text, with the words of the client's messages when it is none. */
export const readTyped = (text: string, field: FieldDescriptor, settings: FormatSettings): Parsed => {
  const word = text.trim().toLowerCase();
  if (field.dataType === 'bool' && word === settings.yes.toLowerCase()) return { ok: true, value: true };
  if (field.dataType === 'bool' && word === settings.no.toLowerCase()) return { ok: true, value: false };
  const typed = parseTyped(field, text.replaceAll('\r\n', '\n'), settings);
  return typed.isOk ? { ok: true, value: typed.value } : { ok: false, fault: FAULTS[typed.problem] };
};

/** The day that is typed so far; null while it is none. */
export const typedDay = (text: string, settings: FormatSettings): string | null => {
  const day = parseFormattedDate(text, settings.formats.shortDate);
  return day !== null && isCalendarDate(day) ? day : null;
};
