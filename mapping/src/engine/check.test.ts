import type { Mapping, TransformFn, TranslationTable } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { isMixedBase64 } from './base64.ts';
import { checkMappings, checkWiring, type CheckInput } from './check.ts';
import { field, mapping } from './test-support/one-value.ts';
import { codesWithText, problemText } from './texts.ts';
import type { MappingProblem } from './types.ts';

const input: Omit<CheckInput, 'mappings'> = {
  sources: [
    {
      optionId: 's',
      name: 'Orders',
      fields: [
        field('text'),
        field('number', 'int'),
        field('list', 'string', { kind: 'primitiveValuesArray' }),
      ],
    },
  ],
  targetFields: [
    field('name'),
    field('count', 'uint'),
    field('day', 'date'),
    field('fixed', 'string', { isReadOnly: true }),
    field('once', 'string', { isReadOnlyOnUpdate: true }),
  ],
  zone: 'Europe/Amsterdam',
};
const value = (id: string) => ({ type: 'sourceValue' as const, field: id });
const check = (mappings: Mapping[], extra: Partial<CheckInput> = {}): MappingProblem[] =>
  checkMappings({ ...input, mappings, ...extra });
const brief = (problems: MappingProblem[]) =>
  problems.map(({ path, code }) => `${path.replace('mappings[0].mappingSources[0]', '~')} ${code}`);
const chain = (source: string, ...fns: TransformFn[]) => check([mapping('name', value(source), fns)]);
const fn = (fnId: string, args: TransformFn['args'] = {}): TransformFn => ({ fnId, args });

describe('the check of mappings', () => {
  it('finds nothing wrong with a mapping that is right', () => {
    expect(
      check([
        mapping('name', value('text'), [fn('trim'), fn('left', { length: 3 })]),
        mapping('count', value('number')),
      ]),
    ).toEqual([]);
  });

  it('[MAP-14] a merge without sources: Add at least one source', () => {
    const problems = check([mapping('name', { type: 'multiple', mergeString: '', mergeSources: [] })]);
    expect(brief(problems)).toEqual(['~.source addSource']);
    expect(problems.map((problem) => problemText(problem, 'EN'))).toEqual(['Add at least one source']);
    expect(brief(check([{ ...mapping('name', value('text')), mappingSources: [] }]))).toEqual([
      'mappings[0] addSource',
    ]);
  });

  it('[MAP-15] the text above errors that prevent saving', () => {
    expect(problemText({ code: 'fixErrors', params: {} }, 'EN')).toBe(
      'Please fix all the errors before saving',
    );
  });

  it('[MAP-16] a source that the merge string leaves out is a warning, and saving stays possible', () => {
    const part = (id: string) => ({ source: value(id), transformFns: [] });
    const problems = check([
      mapping('name', { type: 'multiple', mergeString: '{1}', mergeSources: [part('text'), part('number')] }),
    ]);
    expect(problems).toMatchObject([{ severity: 'warning', code: 'unusedSources' }]);
    expect(problems.map((problem) => problemText(problem, 'EN'))).toEqual([
      'Not all of the sources are used in the merge string',
    ]);
    const wrong = check([
      mapping('name', { type: 'multiple', mergeString: '{2} {', mergeSources: [part('text')] }),
    ]);
    expect(brief(wrong)).toEqual(['~.source openBrace']);
    const beyond = check([
      mapping('name', { type: 'multiple', mergeString: '{2}', mergeSources: [part('text')] }),
    ]);
    expect(beyond.map((problem) => problemText(problem, 'EN'))).toEqual([
      'The merge string names {2}, which is no source',
    ]);
  });

  it('[MAP-17] base64 content beside other values is noticed', () => {
    const png = `iVBORw0KGgoAAAANSUhEUgAA`;
    expect(isMixedBase64([png, null, 'no picture'])).toBe(true);
    expect(isMixedBase64([png, '', 'JVBERi0xLjcK'])).toBe(false);
    expect(isMixedBase64(['Delivery', 'Utrecht1'])).toBe(false);
    expect(problemText({ code: 'mixedBase64', params: {} }, 'EN')).toBe(
      'Some output values are base64 while others are not',
    );
  });

  it('[XFORM-02] a function that is gone is named at its place', () => {
    const problems = chain('text', fn('trim'), fn('teleport'));
    expect(brief(problems)).toEqual(['~.transformFns[1] functionUnavailable']);
    expect(problems.map((problem) => problemText(problem, 'NL'))).toEqual([
      "Functie 'teleport' is niet beschikbaar",
    ]);
  });

  it('[XFORM-03] [XFORM-05] a type that a function cannot take: unsupported, with both types', () => {
    const problems = chain('text', fn('abs'));
    expect(problems.map((problem) => problemText(problem, 'EN'))).toEqual([
      'Unsupported input type',
      'Expected float64 | int | uint | nonFormattableInt, incoming string',
    ]);
    expect(brief(chain('list', fn('trim')))).toContain('~.transformFns[0] unsupportedInput');
    expect(brief(chain('number', fn('toText'), fn('upper'), fn('length'), fn('abs')))).toEqual([]);
    expect(brief(chain('text', fn('split', { separator: ',' }), fn('first'), fn('trim')))).toEqual([]);
  });

  it('[XFORM-04] after a step that is not filled in: previous element not configured', () => {
    const problems = chain('text', fn('left'), fn('trim'));
    expect(brief(problems)).toEqual([
      '~.transformFns[0] missingArg',
      '~.transformFns[1] previousNotConfigured',
    ]);
    expect(problemText({ code: 'previousNotConfigured', params: {} }, 'EN')).toBe(
      'Previous element not configured',
    );
    expect(brief(chain('', fn('trim')))).toEqual([
      '~ missingField',
      '~.transformFns[0] previousNotConfigured',
    ]);
  });

  it('wrong arguments are named', () => {
    expect(brief(chain('text', fn('left', { length: 'x' })))).toEqual(['~.transformFns[0] argWrongType']);
    expect(brief(chain('text', fn('trim', { side: 'top' })))).toEqual(['~.transformFns[0] argNotOption']);
    expect(brief(chain('text', fn('trim', { nonsense: 1 })))).toEqual(['~.transformFns[0] unknownArg']);
    expect(brief(chain('text', fn('left', { length: { source: value('number') } })))).toEqual([
      '~.transformFns[0] argNotConstant',
    ]);
    expect(brief(chain('text', fn('concat', { others: 'a' })))).toEqual(['~.transformFns[0] argNotList']);
    expect(brief(chain('text', fn('concat', { others: [{ source: value('gone') }] })))).toEqual([
      '~.transformFns[0].args.others[0] unknownSourceField',
    ]);
    expect(brief(chain('text', fn('template', { template: '{gone}' })))).toEqual([
      '~.transformFns[0] unknownSourceField',
    ]);
    expect(brief(chain('text', fn('switch', { cases: [['a']] })))).toEqual(['~.transformFns[0] argNotPairs']);
    expect(brief(chain('text', fn('regexReplace', { pattern: '(a' })))).toEqual([
      '~.transformFns[0] invalidRegex',
    ]);
    expect(brief(chain('text', fn('parseDate', { format: 'dd-MM-QQ' })))).toEqual([
      '~.transformFns[0] invalidFormat',
    ]);
    expect(brief(chain('text', fn('parseDateTime', { zone: 'Mars/Base' })))).toEqual([
      '~.transformFns[0] unknownZone',
    ]);
    expect(brief(chain('text', fn('padLeft', { length: 1_000_000 })))).toEqual([
      '~.transformFns[0] argTooLarge',
    ]);
  });

  it('unknown, read-only, doubled and forgotten target fields are named', () => {
    expect(brief(check([mapping('gone', value('text'))]))).toEqual(['mappings[0] unknownTarget']);
    expect(brief(check([mapping('fixed', value('text'))]))).toEqual(['mappings[0] readOnlyTarget']);
    expect(check([mapping('once', value('text'))])).toMatchObject([
      { severity: 'warning', code: 'readOnlyOnUpdate' },
    ]);
    expect(check([mapping('once', value('text'), [], { ignoreOnLaterRuns: true })])).toEqual([]);
    expect(brief(check([mapping('name', value('text')), mapping('name', value('text'))]))).toEqual([
      'mappings[1] duplicateTarget',
    ]);
    expect(brief(check([mapping('count', value('list'))]))).toEqual(['~ typeMismatch']);
    const targetFields = [...input.targetFields, field('must', 'string', { isMandatory: true })];
    expect(check([], { targetFields })).toMatchObject([
      { severity: 'warning', code: 'mandatoryNotMapped', params: { field: 'must' } },
    ]);
  });

  it('sources are checked where they stand', () => {
    expect(brief(check([mapping('name', value('gone'))]))).toEqual(['~ unknownSourceField']);
    expect(brief(check([mapping('name', { type: 'targetValue', field: 'gone' })]))).toEqual([
      '~ unknownTargetField',
    ]);
    expect(brief(check([mapping('name', { type: 'macro', macroId: 'gone' })]))).toEqual(['~ unknownMacro']);
    expect(brief(check([mapping('name', { type: 'macro', macroId: 'pushStatus' })]))).toEqual([
      '~ onlyInSourceUpdates',
    ]);
    expect(brief(check([mapping('count', { type: 'customValue', value: 'x' })]))).toEqual([
      '~ wrongConstant',
    ]);
    expect(brief(check([mapping('count', value('number'), [], { defaultValue: 'x' })]))).toEqual([
      'mappings[0] wrongDefault',
    ]);
    expect(
      brief(check([mapping('name', { type: 'targetValue', field: 'name' }, [], { isUnique: true })])),
    ).toEqual(['~ keyFromTarget']);
    const foreign = { ...mapping('name', value('text')) };
    foreign.mappingSources = [
      ...foreign.mappingSources,
      ...foreign.mappingSources,
      { ...foreign.mappingSources[0]!, sourceOptionId: 'x' },
    ];
    expect(brief(check([foreign]))).toEqual([
      'mappings[0].mappingSources[1] duplicateSource',
      'mappings[0].mappingSources[2] unknownSource',
    ]);
  });

  it('[MAP-08] the text of a failed write is offered after a failure only', () => {
    const given = [mapping('name', { type: 'responseErrorMessage' })];
    expect(brief(check(given))).toEqual(['~ onlyInSourceUpdates']);
    expect(brief(check(given, { place: 'success' }))).toEqual(['~ onlyOnFailure']);
    expect(check(given, { place: 'failure' })).toEqual([]);
  });

  it('[TRANS-01] doubled keys and values of a wrong type are faults of the table, with their rows', () => {
    const table: TranslationTable = {
      inputType: 'float64',
      returnType: 'int',
      rows: [
        { key: 10, value: 1 },
        { key: '10.0', value: 2 },
        { key: 'x', value: 3 },
        { key: 4, value: 'y' },
      ],
      defaultValue: null,
      notFound: 'default',
    };
    const problems = check([
      mapping('count', value('text'), [{ fnId: 'translate', args: {}, translationTable: table }]),
    ]);
    const at = '~.transformFns[0].translationTable';
    expect(brief(problems)).toEqual([
      `${at}.rows[1] duplicateKey`,
      `${at}.rows[2] invalidKey`,
      `${at}.rows[3] invalidValue`,
      `${at} defaultNeeded`,
    ]);
    expect(problems.map((problem) => problemText(problem, 'EN'))[0]).toBe(
      "Row 2: the key '10.0' is there twice",
    );
    const pass = {
      ...table,
      inputType: 'bool' as const,
      returnType: 'date' as const,
      rows: [],
      notFound: 'passthrough' as const,
    };
    expect(
      brief(
        check([mapping('day', value('text'), [{ fnId: 'translate', args: {}, translationTable: pass }])]),
      ),
    ).toEqual([`${at} passthroughTypes`]);
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ key: index, value: index }));
    expect(
      check([
        mapping('count', value('number'), [
          { fnId: 'translate', args: {}, translationTable: { ...table, rows, notFound: 'error' } },
        ]),
      ]),
    ).toEqual([]);
  });

  it('[ACT-03] [ACT-04] an action has one target and at least one source', () => {
    const end = { optionId: 'o', path: 'p', resourceTypeUriId: 'r' };
    const texts = (targets: number, sources: number) =>
      checkWiring({ targets: Array(targets).fill(end), sources: Array(sources).fill(end) }).map((problem) =>
        problemText(problem, 'EN'),
      );
    expect(texts(1, 1)).toEqual([]);
    expect(texts(0, 1)).toEqual(['Please select one target']);
    expect(texts(2, 0)).toEqual(['Please select one target', 'Please select at least one source']);
  });

  it('every code has a text in both languages, and they differ', () => {
    for (const code of codesWithText) {
      expect(problemText({ code, params: {} }, 'EN')).not.toBe(code);
      if (code !== 'ownCheck')
        expect(problemText({ code, params: {} }, 'EN'), code).not.toBe(
          problemText({ code, params: {} }, 'NL'),
        );
    }
  });
});
