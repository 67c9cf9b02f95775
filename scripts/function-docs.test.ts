import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { documents, functionDocs } from './function-docs.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

describe('the documents of the functions', () => {
  it.each(['EN', 'NL'] as const)('say what the registry says (%s); npm run docs writes them', (locale) => {
    expect(fs.readFileSync(path.join(root, documents[locale]), 'utf8')).toBe(functionDocs(locale));
  });
});
