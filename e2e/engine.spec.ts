import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TransformArg, Value } from '@sluice/contract';
import * as engine from '@sluice/mapping/engine';
import { build } from 'vite';

type Engine = typeof engine;
interface Case {
  fnId: string;
  args: Record<string, TransformArg>;
  inputs: Value[];
}

/** Values that tell platforms apart: case of many scripts, combining marks, decimals, dates around a change of clocks. */
const values: Value[] = [
  null,
  '',
  ' İSTANBUL ß ǆ ',
  'e\u0301 ﬁ Ⅷ',
  '👩‍👩‍👧 ijsje IJ',
  '1.234,50',
  '-0.1',
  '2026-03-29',
  '2026-10-25T00:30:00Z',
  '24:00',
  'nee',
  0.1,
  1e21,
  -7,
  '12345678901234567.89',
  true,
  false,
  ['b10', 'b2'],
  [0.1, 0.2, null],
  '{"a":[1,{"b":"é"}]}',
];

/** What every function makes of every value, as text: results, errors and all. Runs in the page as well as here. */
async function outcomes({ compilePlan }: Engine, cases: Case[]): Promise<string[]> {
  const all: string[] = [];
  const field = (id: string) => ({
    id,
    name: id,
    kind: 'field' as const,
    dataType: 'unknown' as const,
    isKey: false,
    isMandatory: false,
    isReadOnly: false,
    isReadOnlyOnUpdate: false,
    isHidden: false,
    validations: [],
  });
  for (const { fnId, args, inputs } of cases) {
    const plan = compilePlan({
      mappings: [
        {
          targetField: 't',
          group: 'optional',
          isUnique: false,
          ignoreOnLaterRuns: false,
          defaultValue: null,
          mappingSources: [
            {
              sourceOptionId: 's',
              source: { type: 'sourceValue', field: 'v' },
              transformFns: [{ fnId, args }],
            },
          ],
        },
      ],
      sourceOptionId: 's',
      sourceFields: [field('v')],
      targetFields: [field('t')],
      zone: 'Europe/Amsterdam',
    });
    const batch = { size: inputs.length, keys: inputs.map((_, row) => `k${row}`), columns: { v: inputs } };
    const { result, steps } = await plan.runTraced(batch, {
      now: '2026-11-21T10:00:00Z',
      zone: 'Europe/Amsterdam',
      language: 'NL',
    });
    all.push(`${fnId} ${JSON.stringify({ steps, errors: result.errors, left: [...(result.left.t ?? [])] })}`);
  }
  return all;
}

test('the engine of mappings makes the same in the browser as on the server', async ({ page }) => {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: {
        entry: fileURLToPath(new URL('../mapping/src/engine/index.ts', import.meta.url)),
        formats: ['iife'],
        name: 'engine',
      },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('Nothing was built');
  const cases = engine.functions.flatMap((entry): Case[] =>
    [{}, ...entry.examples.map(({ args }) => args)].map((args) => ({
      fnId: entry.id,
      args,
      inputs: [...values, ...entry.examples.map(({ input }) => input)],
    })),
  );
  await page.goto('about:blank');
  await page.addScriptTag({ content: output.output[0].code });
  const inBrowser = await page.evaluate(`(${outcomes.toString()})(engine, ${JSON.stringify(cases)})`);
  const here = await outcomes(engine, cases);
  expect(here.length).toBeGreaterThan(350);
  expect(inBrowser).toEqual(here);
});
