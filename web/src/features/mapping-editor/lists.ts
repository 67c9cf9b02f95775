import type { DataType, Mapping, RecordSelection, TranslationTable } from '@sluice/contract';

/** Lists of the contract; its schemas stay out of the bundle, so that they are written again here, checked by type. */
export const mappingGroups: readonly Mapping['group'][] = ['mandatory', 'optional', 'hidden'];

export const notFoundBehaviours: readonly TranslationTable['notFound'][] = [
  'error',
  'default',
  'passthrough',
];

export const recordSelections: readonly RecordSelection[] = [
  'newAndExisting',
  'new',
  'existing',
  'deleted',
  'all',
];

/** Types that a translation table can be of. */
export const tableTypes: readonly DataType[] = [
  'string',
  'int',
  'float64',
  'bool',
  'date',
  'datetime',
  'time',
  'uuid',
];

export const mostTableRows = 10_000;
