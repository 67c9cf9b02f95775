import { z } from 'zod';

const scope = {
  /** How many requests it hits; absent = until it is switched off. */
  times: z.number().int().positive().optional(),
  /** Hit every n-th matching request only. */
  every: z.number().int().positive().default(1),
  /** Only requests whose method is this, and whose path contains this. */
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).optional(),
  path: z.string().optional(),
};

const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('latency'), ms: z.number().int().min(0).max(120_000), ...scope }),
  z.strictObject({
    kind: z.literal('fail'),
    status: z.number().int().min(400).max(599),
    retryAfterSeconds: z.number().int().min(0).optional(),
    /** Fail single requests inside a `$batch` instead of whole ones. */
    inBatch: z.boolean().default(false),
    ...scope,
  }),
  /** A `$batch` of more requests is refused, before anything of it is done. */
  z.strictObject({
    kind: z.literal('batchLimit'),
    most: z.number().int().positive(),
    status: z.union([z.literal(400), z.literal(413)]).default(400),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('html'), ...scope }),
  z.strictObject({ kind: z.literal('cutBefore'), ...scope }),
  z.strictObject({ kind: z.literal('cutAfterCommit'), ...scope }),
  z.strictObject({ kind: z.literal('truncate'), ...scope }),
  z.strictObject({
    kind: z.literal('crashAfterCommit'),
    /** Inside a `$batch`: die after this many of its requests are committed. */
    afterRequests: z.number().int().positive().optional(),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('dropField'), collection: z.string(), field: z.string(), ...scope }),
]);
export const faultsSchema = z.strictObject({ faults: z.array(faultSchema) });
export type Fault = z.infer<typeof faultSchema>;
type FaultOf<K extends Fault['kind']> = Extract<Fault, { kind: K }>;

interface Active {
  fault: Fault;
  left: number;
  seen: number;
}

/** The failures that are switched on. They live in memory only: a restart clears them. */
export class Faults {
  #active: Active[] = [];

  set(faults: readonly Fault[]): void {
    this.#active = faults.map((fault) => ({ fault, left: fault.times ?? Infinity, seen: 0 }));
  }

  list(): (Fault & { left: number | null })[] {
    return this.#active.map(({ fault, left }) => ({ ...fault, left: left === Infinity ? null : left }));
  }

  /** The fault of this kind that hits this request, if any; counts the hit. */
  take<K extends Fault['kind']>(
    kind: K,
    request: { method: string; path: string },
    where: (fault: FaultOf<K>) => boolean = () => true,
  ): FaultOf<K> | null {
    for (const active of this.#active) {
      const { fault } = active;
      if (!isKind(fault, kind) || active.left <= 0) continue;
      if (fault.method !== undefined && fault.method !== request.method) continue;
      if (fault.path !== undefined && !request.path.includes(fault.path)) continue;
      if (!where(fault)) continue;
      active.seen++;
      if (active.seen % fault.every !== 0) continue;
      active.left--;
      return fault;
    }
    return null;
  }
}

function isKind<K extends Fault['kind']>(fault: Fault, kind: K): fault is FaultOf<K> {
  return fault.kind === kind;
}
