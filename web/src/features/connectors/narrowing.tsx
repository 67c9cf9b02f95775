import type { EndMetadata, Scalar, TestRunQuery } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { SelectField, TextField } from '../../ui/fields.tsx';

/** Which source records, as it is typed. */
export interface Narrowing {
  source: string;
  field: string;
  value: string;
  limit: string;
  offset: string;
  orderBy: string;
  sortOrder: 'ascending' | 'descending';
}

export const noNarrowing = (source: string, limit = ''): Narrowing => ({
  source,
  field: '',
  value: '',
  limit,
  offset: '',
  orderBy: '',
  sortOrder: 'ascending',
});

const scalarOf = (text: string, end: EndMetadata | undefined, path: string): Scalar => {
  if (text === '') return null;
  switch (end?.fields.find((field) => field.path === path)?.dataType) {
    case 'int':
    case 'uint':
    case 'nonFormattableInt':
    case 'float64':
      return Number.isFinite(Number(text.replace(',', '.'))) ? Number(text.replace(',', '.')) : text;
    case 'bool':
      return text === 'true';
    default:
      return text;
  }
};

const countOf = (text: string): number | undefined => (/^\d+$/.test(text.trim()) ? Number(text) : undefined);

/** What a call takes of it; a test run takes a hundred records at `most`. */
export const queryOf = (
  narrowing: Narrowing,
  sources: readonly EndMetadata[],
  most = Number.MAX_SAFE_INTEGER,
): Partial<TestRunQuery> & { source: string } => {
  const { source, field, orderBy, sortOrder } = narrowing;
  const end = sources.find(({ option }) => option.id === source);
  const limit = countOf(narrowing.limit);
  const offset = countOf(narrowing.offset);
  return {
    source,
    ...(field ? { field, value: scalarOf(narrowing.value, end, field) } : {}),
    ...(limit === undefined ? {} : { limit: Math.min(most, Math.max(1, limit)) }),
    ...(offset === undefined ? {} : { offset }),
    ...(orderBy ? { orderBy, sortOrder } : {}),
  };
};

/** The inputs of a test run (RUN-03): source, field, value, limit, offset, order by, sort order. */
export const NarrowingFields = ({
  narrowing,
  sources,
  onChange,
}: {
  narrowing: Narrowing;
  sources: readonly EndMetadata[];
  onChange: (narrowing: Narrowing) => void;
}) => {
  const { t } = useTranslation();
  const end = sources.find(({ option }) => option.id === narrowing.source);
  const fields = (end?.fields ?? [])
    .map(({ path, name }) => ({ value: path, label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const set = (change: Partial<Narrowing>): void => onChange({ ...narrowing, ...change });
  const dataType = end?.fields.find(({ path }) => path === narrowing.field)?.dataType;
  return (
    <div className="cn-inputs">
      {sources.length > 1 ? (
        <SelectField
          label={t('runs.source')}
          value={narrowing.source}
          options={sources.map(({ option }) => ({ value: option.id, label: option.name }))}
          onChange={(source) => onChange({ ...noNarrowing(source, narrowing.limit) })}
        />
      ) : null}
      <SelectField
        label={t('runs.field')}
        value={narrowing.field}
        options={[{ value: '', label: t('runs.noField') }, ...fields]}
        onChange={(field) => set({ field, value: '' })}
      />
      {dataType === 'bool' ? (
        <SelectField
          label={t('runs.value')}
          value={narrowing.value}
          options={[
            { value: '', label: t('common.empty') },
            { value: 'true', label: t('common.yes') },
            { value: 'false', label: t('common.no') },
          ]}
          onChange={(value) => set({ value })}
        />
      ) : (
        <TextField
          label={t('runs.value')}
          value={narrowing.value}
          disabled={narrowing.field === ''}
          onChange={(value) => set({ value })}
        />
      )}
      <TextField
        label={t('runs.limit')}
        inputMode="numeric"
        value={narrowing.limit}
        onChange={(limit) => set({ limit })}
      />
      <TextField
        label={t('runs.offset')}
        inputMode="numeric"
        value={narrowing.offset}
        onChange={(offset) => set({ offset })}
      />
      <SelectField
        label={t('runs.orderBy')}
        value={narrowing.orderBy}
        options={[{ value: '', label: t('runs.noOrder') }, ...fields]}
        onChange={(orderBy) => set({ orderBy })}
      />
      <SelectField
        label={t('runs.sortOrder')}
        value={narrowing.sortOrder}
        isDisabled={narrowing.orderBy === ''}
        options={[
          { value: 'ascending', label: t('runs.ascending') },
          { value: 'descending', label: t('runs.descending') },
        ]}
        onChange={(sortOrder) => set({ sortOrder: sortOrder === 'descending' ? 'descending' : 'ascending' })}
      />
    </div>
  );
};
