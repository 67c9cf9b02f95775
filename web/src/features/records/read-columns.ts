import type { ColumnsReply, FilterCondition } from '@sluice/contract';
import { ApiError, call } from '../../platform/call.ts';

const COLUMNS_MEDIA_TYPE = 'application/vnd.sluice.columns+json';

export interface SortKey {
  field: string;
  isDescending: boolean;
}

/** What is looked for in cells. */
export interface SearchSpec {
  text: string;
  dataType: 'any' | 'text' | 'number' | 'boolean' | 'date' | 'time';
  matchCase: boolean;
  matchWholeWord: boolean;
  /** Ids of the columns to look in; null = all. */
  fields: string[] | null;
}

/** What selects and orders the rows. */
export interface TableView {
  filter: readonly FilterCondition[];
  sort: readonly SortKey[];
  /** Only rows with a hit are shown; null = all. */
  search: SearchSpec | null;
}

export const wholeTable: TableView = { filter: [], sort: [], search: null };
export const isNarrowed = (view: TableView): boolean => view.filter.length > 0 || view.search !== null;

/** Shift + click: ascending as the last level, then descending, then out of the order again. */
export const nextSort = (sort: readonly SortKey[], field: string): SortKey[] => {
  const own = sort.find((key) => key.field === field);
  if (!own) return [...sort, { field, isDescending: false }];
  if (own.isDescending) return sort.filter((key) => key !== own);
  return sort.map((key) => (key === own ? { field, isDescending: true } : key));
};

/** The same in the words of a query. */
export const viewQuery = (view: TableView) => ({
  ...(view.filter.length > 0 ? { filter: JSON.stringify(view.filter) } : {}),
  ...(view.search
    ? {
        search: view.search.text,
        searchDataType: view.search.dataType,
        matchCase: view.search.matchCase ? ('true' as const) : ('false' as const),
        matchWholeWord: view.search.matchWholeWord ? ('true' as const) : ('false' as const),
        ...(view.search.fields ? { searchFields: view.search.fields.join(',') } : {}),
      }
    : {}),
  ...(view.sort.length > 0
    ? {
        orderBy: view.sort.map((key) => key.field).join(','),
        sortOrder: view.sort.map((key) => (key.isDescending ? 'descending' : 'ascending')).join(','),
      }
    : {}),
});

/** A page of rows in columnar form; the first one of a view names its snapshot. */
export const readColumns = async (
  collection: string,
  view: TableView,
  request: {
    snapshot: string | null;
    offset: number;
    limit: number;
    signal?: AbortSignal;
    withMetadata?: boolean;
  },
): Promise<ColumnsReply> => {
  const { snapshot, offset, limit, signal, withMetadata } = request;
  const reply = await call('getRecords', {
    params: { collection },
    query: {
      ...viewQuery(view),
      offset,
      limit,
      snapshot: snapshot ?? 'new',
      ...(withMetadata ? { metadata: 'field-options' as const } : {}),
    },
    headers: { accept: COLUMNS_MEDIA_TYPE },
    // Only the first page is waited for by a whole screen.
    ...(withMetadata ? { isFollowed: true } : {}),
    ...(signal ? { signal } : {}),
  });
  if (!('columns' in reply)) throw new ApiError('API_ERR', 0, 'fieldsMetadata is missing', null);
  return reply;
};
