import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectorsPartEn } from './connectors-part-en.ts';
import { connectorsPartNl } from './connectors-part-nl.ts';
import { en } from './en.ts';
import { managePartEn } from './manage-part-en.ts';
import { managePartNl } from './manage-part-nl.ts';
import { nl } from './nl.ts';
import { startEn } from './start-en.ts';
import { startNl } from './start-nl.ts';
import { transferEn } from './transfer-en.ts';
import { transferNl } from './transfer-nl.ts';

type Texts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const flat = (texts: Texts): Map<string, string> =>
  new Map(
    Object.entries(texts).flatMap(([area, inside]) =>
      typeof inside === 'string'
        ? [[area, inside] as const]
        : Object.entries(inside).map(([key, text]) => [`${area}.${key}`, text] as const),
    ),
  );
const english = flat({ ...startEn, ...transferEn, ...en, ...connectorsPartEn, ...managePartEn });
const dutch = flat({ ...startNl, ...transferNl, ...nl, ...connectorsPartNl, ...managePartNl });

const web = fileURLToPath(new URL('../../', import.meta.url));
const files = fs
  .readdirSync(web, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|[\\/]i18n[\\/](?!i18n)/.test(file))
  .map((file) => file.replaceAll(path.sep, '/'));
const sources = files.map((file) => fs.readFileSync(path.join(web, file), 'utf8')).join('\n');

/** `count` is asked for without the plural's end. */
const stemOf = (key: string): string => key.replace(/_(one|other|zero)$/, '');

/** Names of keys that are put together: `runs.${name}`, `settings.kind_${kind}Hint`. */
const patterns = [...sources.matchAll(/`([a-z]\w*\.[^`\s]*\$\{[^`\s]*)`/gi)].map(
  ([, template = '']) =>
    new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.+')}$`,
    ),
);

describe('the texts', () => {
  it('[I18N-01] each has its English and its Dutch words, with the same places for values', () => {
    expect([...dutch.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    const places = (text: string): string[] =>
      [...text.matchAll(/\{\{\w+\}\}|<\/?\w+>/g)].map(String).toSorted();
    const uneven = [...english].filter(([key, text]) => {
      // A singular may leave its number out.
      const isSingular = key.endsWith('_one');
      const [mine, theirs] = [places(text), places(dutch.get(key) ?? '')];
      return !isSingular && mine.join() !== theirs.join();
    });
    expect(uneven.map(([key]) => key)).toEqual([]);
    expect([...english, ...dutch].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('sentences are not the same in both languages', () => {
    const same = [...english].filter(
      ([key, text]) =>
        (text.replaceAll(/\{\{\w+\}\}/g, '').match(/\p{L}{2,}/gu)?.length ?? 0) > 3 &&
        dutch.get(key) === text,
    );
    expect(same).toEqual([]);
  });

  it('each is used somewhere', () => {
    const unused = [...english.keys()].filter((key) => {
      const stem = stemOf(key);
      if (sources.includes(`'${stem}'`) || sources.includes(`"${stem}"`)) return false;
      return !patterns.some((pattern) => pattern.test(stem));
    });
    expect(unused).toEqual([]);
  });

  it('texts that come with some screens are asked for by those screens only', () => {
    // The router waits for the texts of a screen whose name it says to whoever may not see it.
    const router = 'app/router';
    const parts = [
      { sections: Object.keys(transferEn), folders: ['features/transfer'] },
      {
        sections: Object.keys(connectorsPartEn),
        folders: ['features/connectors', 'features/mapping-editor', router],
      },
      {
        sections: Object.keys(managePartEn),
        folders: [
          'features/users',
          'features/roles',
          'ui/systems-grid',
          'ui/rights-grid',
          'features/domains',
          'features/audit',
          'features/dashboard',
          'app/dashboard-route',
          'features/connectors',
          'ui/bar-plot',
          router,
        ],
      },
    ];
    const astray = parts.flatMap(({ sections, folders }) => {
      const asked = new RegExp(`['"\`](${sections.join('|')})\\.[\\w$]`);
      return files.filter(
        (file) =>
          !folders.some((folder) => file.startsWith(folder)) &&
          asked.test(fs.readFileSync(path.join(web, file), 'utf8')),
      );
    });
    expect(astray).toEqual([]);
  });
});
