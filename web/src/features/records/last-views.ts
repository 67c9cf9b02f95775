import { runFilterField } from '@sluice/contract/paths';
import type { TableView } from './read-columns.ts';

interface Whose {
  me: string;
  collection: string;
}

/** How users last narrowed and ordered their tables: kept while the page is open (decisions Q-FILT-01). */
const views = new Map<string, TableView>();
const keyOf = ({ me, collection }: Whose): string => `${me} ${collection}`;

export const lastViewOf = (whose: Whose): TableView | null => views.get(keyOf(whose)) ?? null;

/** Without what a run made, which an address asks for, and without what is found, which hangs on the open find bar. */
export const rememberView = (whose: Whose, view: TableView): void => {
  const filter = view.filter.filter(({ field }) => field !== runFilterField);
  views.set(keyOf(whose), { ...view, filter, search: null });
};
