const maxLimit = 5000;

/** One page of a list that is short enough to be read whole; limit -1 means all of it (decisions Q-GEN-02). */
export function pageOf<T>(
  list: readonly T[],
  query: { limit?: number | undefined; offset?: number | undefined },
): { resources: T[]; offset: number; maxLimit: number; total: number } {
  const offset = query.offset ?? 0;
  const limit = query.limit === undefined ? 100 : query.limit;
  const resources =
    limit === -1 ? list.slice(offset) : list.slice(offset, offset + Math.min(limit, maxLimit));
  return { resources, offset, maxLimit, total: list.length };
}
