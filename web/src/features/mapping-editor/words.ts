import type { FieldDescriptor, Locale, Value } from '@sluice/contract';
import { problemText, recordErrorText, type MappingProblem, type RecordError } from '@sluice/mapping/engine';
import { textOf } from '@sluice/mapping/engine';
import { t } from '../../platform/i18n/i18n.ts';

const typeKeys = {
  string: 'mapping.typeText',
  int: 'mapping.typeInt',
  uint: 'mapping.typeUint',
  nonFormattableInt: 'mapping.typeInt',
  float64: 'mapping.typeFloat',
  bool: 'mapping.typeBool',
  date: 'mapping.typeDate',
  datetime: 'mapping.typeDateTime',
  time: 'mapping.typeTime',
  uuid: 'mapping.typeUuid',
  unknown: 'mapping.typeAny',
  any: 'mapping.typeAny',
} as const;

/** A type of values as people call it. */
export const typeName = (type: string): string => {
  const item = type.endsWith('[]') ? type.slice(0, -2) : type;
  const name = item in typeKeys ? t(typeKeys[item as keyof typeof typeKeys]) : item;
  return type.endsWith('[]') ? t('mapping.typeList', { type: name }) : name;
};

export const fieldType = (field: FieldDescriptor): string => {
  if (field.options?.length) return t('mapping.typeOption');
  const most = field.validations.find(({ code }) => code === 4102)?.params['max'];
  const name = typeName(
    field.kind === 'field' || field.kind === 'fieldInSimpleArray'
      ? (field.dataType ?? 'string')
      : `${field.dataType ?? 'any'}[]`,
  );
  return typeof most === 'number' ? `${name} ${most}` : name;
};

/** The most characters that fit, where there is a bound. */
export const mostOf = (field: FieldDescriptor): number | null => {
  const most = field.validations.find(({ code }) => code === 4102)?.params['max'];
  return typeof most === 'number' ? most : null;
};

const types = (text: Value | undefined): string =>
  [
    ...new Set(
      String(text ?? '')
        .split(' | ')
        .map(typeName),
    ),
  ].join(', ');

/** A problem in the specification's words, with the names that people know. */
export const problemWords = (
  { code, params }: MappingProblem,
  language: Locale,
  fieldName: (path: string) => string,
  paramName: (id: string) => string = (id) => id,
): string =>
  problemText(
    {
      code,
      params: {
        ...params,
        ...(code === 'typeMismatch'
          ? { expected: types(params['expected']), incoming: types(params['incoming']) }
          : {}),
        ...(code === 'passthroughTypes'
          ? { inputType: types(params['inputType']), returnType: types(params['returnType']) }
          : {}),
        ...(typeof params['name'] === 'string' ? { name: paramName(params['name']) } : {}),
        ...(code === 'mandatoryNotMapped' ? { field: fieldName(String(params['field'])) } : {}),
      },
    },
    language,
  );

const ruleTexts: Readonly<Record<number, (param: (name: string) => string) => string>> = {
  4001: () => t('grid.rule4001'),
  4002: (param) => t('grid.rule4002', { field: param('field') }),
  4003: (param) => t('grid.rule4003', { field: param('field'), value: param('value') }),
  4101: (param) => t('grid.rule4101', { min: param('min') }),
  4102: (param) => t('grid.rule4102', { max: param('max') }),
  4105: () => t('grid.rule4105'),
  4200: (param) => t('grid.rule4200', { max: param('max') }),
  4201: (param) => t('grid.rule4201', { min: param('min') }),
  4300: (param) => t('grid.rule4300', { min: param('min') }),
  4301: (param) => t('grid.rule4301', { field: param('field') }),
  4400: () => t('grid.rule4400'),
  4401: (param) => t('grid.rule4401', { field: param('field'), value: param('value') }),
};

/** A field that is not chosen yet is not one that is missing. */
const unfinished = new Set(['unknownSourceField', 'unknownTargetField']);

/** Why a record fails, in the words that the table uses for broken rules. */
export const recordWords = (error: RecordError, language: Locale): string =>
  recordErrorText(
    unfinished.has(error.code) && error.params['field'] === '' ? { ...error, code: 'missingField' } : error,
    language,
    (code, params) => {
      const text = ruleTexts[code];
      return text ? text((name) => textOf(params[name] ?? null) ?? '') : t('grid.ruleOther');
    },
  );

/** A value as it is: texts with their spaces to be seen, everything else plain. */
export const shownValue = (value: Value): string => {
  if (value === null || value === '') return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
};
