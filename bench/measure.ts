/** One line of the table: a measurement beside what it is divided by. */
export interface Measurement {
  name: string;
  unit: 'ms' | 's' | 'MB' | 'kB' | 'rows/s' | 'score';
  measured: number;
  /** The physical limit, or the peer, or the bar itself where that is an absolute number; null = only shown. */
  limit: number | null;
  /** Largest (or smallest) measured / limit that passes; null = only shown. */
  bar: number | null;
  direction?: 'atMost' | 'atLeast';
  note?: string;
}

export function ratioOf({ measured, limit }: Measurement): number | null {
  return limit === null || limit === 0 ? null : measured / limit;
}

export function hasPassed(measurement: Measurement): boolean | null {
  const ratio = ratioOf(measurement);
  if (ratio === null || measurement.bar === null) return null;
  return measurement.direction === 'atLeast' ? ratio >= measurement.bar : ratio <= measurement.bar;
}

/** Hands a measurement to `bench/run.ts`, or prints it when the file is run by itself. */
export function report(measurement: Measurement): void {
  if (process.send) process.send({ measurement });
  else console.log(lineOf(measurement));
}

/** Says what goes on; on standard error, so that the table stays clean. */
export function say(text: string): void {
  process.stderr.write(`  … ${text}\n`);
}

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2));

export function lineOf(measurement: Measurement): string {
  const { name, unit, measured, limit, bar, direction, note } = measurement;
  const ratio = ratioOf(measurement);
  const passed = hasPassed(measurement);
  const sign = direction === 'atLeast' ? '>=' : '<=';
  return [
    passed === null ? '    ' : passed ? 'ok  ' : 'FAIL',
    name.padEnd(62),
    `${shown(measured)} ${unit}`.padStart(14),
    (limit === null ? '' : `${shown(limit)} ${unit}`).padStart(14),
    (ratio === null ? '' : `${ratio.toFixed(2)}x`).padStart(9),
    (bar === null ? '' : `${sign} ${bar}`).padStart(8),
    note === undefined ? '' : `  ${note}`,
  ].join(' ');
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Runs the variants in turn, so that what else the machine does hits all of them; answers the medians in ms. */
export async function interleave(
  rounds: number,
  variants: readonly ((round: number) => Promise<unknown>)[],
): Promise<number[]> {
  const times: number[][] = variants.map(() => []);
  // The first round warms caches and plans.
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, variant] of variants.entries()) {
      const ms = await timed(async () => await variant(round));
      if (round >= 0) times[index]?.push(ms);
    }
  }
  return times.map(median);
}
