import { afterAll, beforeAll, describe } from 'vitest';
import type { ConformancePartner } from './conformance-partner.ts';
import { Workbench } from './conformance-workbench.ts';
import { registerReading, registerRefusals } from './conformance-read.ts';
import { registerWriting } from './conformance-write.ts';
import { registerFaults } from './conformance-faults.ts';

export type { ConformancePartner };

/**
 * Registers the tests that every adapter must pass against a real system. What the adapter's capabilities leave
 * open is decided by them: a batch that is atomic per call must undo everything, one that is not must refuse only
 * the record at fault. What only reads (`makeElsewhere`) is held to the rules of reading.
 */
export function describeConformance(
  name: string,
  partner: () => Promise<ConformancePartner>,
  { isReadOnly = false }: { isReadOnly?: boolean } = {},
): void {
  describe(`${name} keeps the rules of the adapter interface`, () => {
    const bench = new Workbench();
    beforeAll(async () => bench.open(await partner()));
    afterAll(() => bench.close());
    registerReading(bench);
    if (isReadOnly) {
      registerRefusals(bench);
      return;
    }
    registerWriting(bench);
    registerFaults(bench);
  });
}
