import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { auditEn } from '../../platform/i18n/audit-en.ts';

/** The ends of verbs that are put together: each undo or redo, command over many records and kind of link. */
const ends: Readonly<Record<string, readonly string[]>> = {
  direction: ['undo', 'redo'],
  'command.kind': ['set', 'calculate', 'replace', 'delete', 'revert'],
  'link.kind': ['invitation', 'reset'],
};

const server = fileURLToPath(new URL('../../../../server/src', import.meta.url));
const verbs = fs
  .readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => fs.readFileSync(path.join(server, file), 'utf8'))
  .flatMap((source) => [
    ...source.matchAll(
      /mutate\(\s*\{[^}]*\},\s*(?:[^'`]{0,60}\? )?['`](\w+\.[\w.${}]+)['`](?:\s*:\s*'(\w+\.\w+)')?/g,
    ),
  ])
  .flatMap(([, first = '', second]) => (second ? [first, second] : [first]))
  .flatMap((verb) => {
    const [, part] = /\$\{([\w.]+)\}/.exec(verb) ?? [];
    return part ? (ends[part] ?? []).map((end) => verb.replace(`\${${part}}`, end)) : [verb];
  });

it('everything that the audit log tells has its words', () => {
  expect(new Set(verbs).size).toBeGreaterThan(55);
  const known: readonly string[] = Object.keys(auditEn.auditVerb);
  expect(verbs.filter((verb) => !known.includes(verb.replaceAll('.', '_')))).toEqual([]);
});
