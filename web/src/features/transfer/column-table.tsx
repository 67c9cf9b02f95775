import type { FieldDescriptor, Formats } from '@sluice/contract';
import { type Choices, type ImportColumn, dateChoices, numberChoices } from '@sluice/mapping/files';
import { useTranslation } from 'react-i18next';

const NUMBERS = new Set(['int', 'uint', 'float64', 'nonFormattableInt']);
const DATES = new Set(['date', 'datetime']);

/** Where each column of the file goes, and how it is to be read where its values can be read in two ways. */
export const ColumnTable = ({
  headings,
  columns,
  fields,
  samples,
  onChange,
  columnFor,
}: {
  headings: readonly string[];
  columns: readonly ImportColumn[];
  fields: readonly FieldDescriptor[];
  samples: (at: number) => readonly string[];
  onChange: (at: number, column: ImportColumn) => void;
  columnFor: (field: FieldDescriptor | null, at: number) => ImportColumn;
}) => {
  const { t } = useTranslation();
  const taken = new Set(columns.map(({ field }) => field?.id));
  return (
    <table className="tbl">
      <thead>
        <tr>
          <th scope="col">{t('transfer.inFile')}</th>
          <th scope="col">{t('transfer.values')}</th>
          <th scope="col">{t('transfer.field')}</th>
          <th scope="col">{t('transfer.readAs')}</th>
        </tr>
      </thead>
      <tbody>
        {headings.map((heading, at) => {
          const column = columns[at];
          if (!column) return null;
          const texts = samples(at);
          return (
            <tr key={at}>
              <td className="m">{heading || t('transfer.noHeading', { number: at + 1 })}</td>
              <td className="sec trunc" style={{ maxWidth: 220 }}>
                {texts
                  .filter((text) => text !== '')
                  .slice(0, 3)
                  .join(' · ')}
              </td>
              <td className="fl">
                <span className="inp sm">
                  <select
                    aria-label={t('transfer.fieldFor', { heading })}
                    value={column.field?.id ?? ''}
                    onChange={(event) => {
                      const chosen = fields.find(({ id }) => id === event.target.value) ?? null;
                      onChange(at, columnFor(chosen, at));
                    }}
                  >
                    <option value="">{t('transfer.leaveOut')}</option>
                    {fields
                      .filter(({ id }) => id === column.field?.id || !taken.has(id))
                      .map(({ id, name }) => (
                        <option key={id} value={id}>
                          {name}
                        </option>
                      ))}
                  </select>
                </span>
              </td>
              <td className="fl">
                <Reading
                  heading={heading}
                  column={column}
                  texts={texts}
                  onChange={(next) => onChange(at, next)}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

const Reading = ({
  heading,
  column,
  texts,
  onChange,
}: {
  heading: string;
  column: ImportColumn;
  texts: readonly string[];
  onChange: (column: ImportColumn) => void;
}) => {
  const type = column.field?.dataType ?? '';
  if (DATES.has(type)) {
    return (
      <FormatSelect
        heading={heading}
        choices={dateChoices(texts)}
        value={column.dateFormat}
        onChange={(dateFormat) => onChange({ ...column, dateFormat })}
      />
    );
  }
  if (NUMBERS.has(type)) {
    return (
      <FormatSelect
        heading={heading}
        choices={numberChoices(texts)}
        value={column.numberFormat}
        onChange={(numberFormat) => onChange({ ...column, numberFormat })}
      />
    );
  }
  return null;
};

/** Only where there is a doubt: each reading with what it makes of the first doubtful value. */
const FormatSelect = <T extends Formats['shortDate'] | Formats['numberFormat']>({
  heading,
  choices,
  value,
  onChange,
}: {
  heading: string;
  choices: Choices<T>;
  value: T | null;
  onChange: (value: T) => void;
}) => {
  const { t } = useTranslation();
  const { example } = choices;
  if (!example) return null;
  return (
    <span className={`inp sm ${value === null ? 'bad' : ''}`}>
      <select
        aria-label={t('transfer.readAsFor', { heading })}
        aria-invalid={value === null}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value as T)}
      >
        <option value="" disabled>
          {t('transfer.whichOne', { text: example.text })}
        </option>
        {example.readings.map((reading) => (
          <option key={reading.format} value={reading.format}>
            {t('transfer.reading', { text: example.text, value: reading.value })}
          </option>
        ))}
      </select>
    </span>
  );
};
