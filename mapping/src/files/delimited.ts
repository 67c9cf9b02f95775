import Papa from 'papaparse';

// Where two cut alike the one that is rarer in texts comes first.
export const delimiters = ['\t', ';', '|', ','] as const;
export type Delimiter = (typeof delimiters)[number];

const previewRows = 50;

/** The delimiter that cuts the first lines into the same number of cells, the more the better; `,` where none does. */
export function detectDelimiter(text: string): Delimiter {
  const scored = delimiters.map((delimiter) => {
    const { data } = Papa.parse<string[]>(text, { delimiter, preview: previewRows, skipEmptyLines: true });
    const widths = data.map((row) => row.length);
    const width = widths[0] ?? 0;
    const isEven = widths.every((other) => other === width);
    return { delimiter, score: width <= 1 ? 0 : isEven ? 1000 + width : width };
  });
  const best = scored.reduce((first, one) => (one.score > first.score ? one : first));
  return best.score === 0 ? ',' : best.delimiter;
}

export interface DelimitedTable {
  rows: string[][];
  /** Where the file breaks the rules of quoting; `row` counts from 0. */
  faults: { row: number; code: string }[];
}

/** Cells of a CSV or TSV file (RFC 4180 quoting; line breaks within quotes), empty lines left out. */
export function parseDelimited(text: string, delimiter: Delimiter): DelimitedTable {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, skipEmptyLines: true });
  return {
    rows: data,
    faults: errors.filter(({ type }) => type === 'Quotes').map(({ row, code }) => ({ row: row ?? 0, code })),
  };
}
