import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { restAdapter } from './index.ts';
import { readProfile } from './profile.ts';
import { configOf } from './test-support.ts';

const good = { collections: [{ code: 'a', path: 'a', keyFields: ['id'] }] };

describe('a profile', () => {
  it('is what the example of the documentation is', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const example = /```json\n([^]*?)```/.exec(readme)?.[1] ?? '';
    expect(readProfile(example, 'EN').problem).toBeNull();
  });

  it('names the line of what is no JSON', () => {
    const { problem } = readProfile('{\n  "collections": [\n    {,}\n  ]\n}', 'EN');
    expect(problem).toContain('Line 3');
  });

  it('names line and path of what does not fit, in both languages', () => {
    const source = JSON.stringify(
      { collections: [{ code: 'a', path: 'a', keyFields: ['id'], paging: { kind: 'pages' } }] },
      null,
      2,
    );
    const { problem } = readProfile(source, 'EN');
    const line = source.split('\n').findIndex((text) => text.includes('"pages"')) + 1;
    expect(problem).toContain(`Line ${line}, collections.0.paging.kind`);
    expect(readProfile(source, 'NL').problem).toContain(
      `Regel ${line}, collections.0.paging.kind: Ongeldige`,
    );
  });

  it('refuses words that it does not know', () => {
    expect(readProfile(JSON.stringify({ ...good, colections: [] }), 'EN').problem).toContain('colections');
  });

  it('refuses a changeable collection whose records cannot be read by key', () => {
    const [one] = good.collections;
    const { problem } = readProfile(
      JSON.stringify({ collections: [{ ...one, update: { path: 'a/{key}' } }] }),
      'EN',
    );
    expect(problem).toContain('readable by its key');
  });

  it('refuses paths of another server, and what a way to sign in lacks', () => {
    const outside = { collections: [{ code: 'a', path: 'https://elsewhere.example/a', keyFields: ['id'] }] };
    const check = (...config: Parameters<typeof configOf>) =>
      restAdapter.checkConfig?.(configOf(...config), 'EN').map(({ field }) => field);
    expect(check('https://api.example.com/v1', outside)).toEqual(['settings.profile']);
    expect(check('https://api.example.com/v1', good, { signIn: 'basic' })).toEqual(['username']);
    expect(check('https://api.example.com/v1', good, { signIn: 'headers', headers: 'no colon' })).toEqual([
      'settings.headers',
    ]);
    expect(check('ftp://api.example.com', good)).toEqual(['url']);
    expect(check('https://api.example.com/v1', good)).toEqual([]);
  });
});
