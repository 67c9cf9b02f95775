import type { CallOptions, Rec } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { messageKinds, toPattern } from './errors.ts';
import type { ErrorScope, Labels, MessagePattern } from './errors.ts';
import { languages } from './metadata.ts';
import type { TrytonFields } from './metadata.ts';
import type { Reader } from './read.ts';
import { TrytonError } from './rpc.ts';

const locales: Locale[] = ['EN', 'NL'];

/** Collects what error messages are read with. Asked for at the first refusal of a session, then kept. */
export class ErrorScopes {
  readonly #reader: Reader;
  #patterns: Promise<MessagePattern[]> | null = null;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** `values`: of the failed operation; null when it is not known which of a batch failed. */
  async get(model: string, values: Rec | null, options: CallOptions): Promise<ErrorScope> {
    const { metadata } = this.#reader;
    this.#patterns ??= this.#fetchPatterns(options);
    const fields = await metadata.fields(model, options.locale, options);
    const lists: ErrorScope['lists'][number][] = [];
    // In a batch any list may be at fault; looking up all of them would cost more than the answer is worth.
    for (const name of Object.keys(values ?? {})) {
      const { type, relation } = fields.get(name) ?? { type: '', relation: null };
      if (type === 'many2many') lists.push({ field: name, modelNames: new Set(), labels: new Map() });
      if (type !== 'one2many' || !relation) continue;
      const modelNames = await this.#modelNames(relation, options);
      lists.push({ field: name, modelNames, labels: await this.#labels(relation, options) });
    }
    return {
      patterns: await this.#patterns,
      modelNames: await this.#modelNames(model, options),
      labels: await this.#labels(model, options),
      lists,
      written: new Set(Object.keys(values ?? {})),
      sizes: sizesOf(fields),
      values: values ?? {},
    };
  }

  async #fetchPatterns(options: CallOptions): Promise<MessagePattern[]> {
    const { link } = this.#reader;
    try {
      const domain = [
        ['module', '=', 'ir'],
        ['model', '=', 'ir.message'],
        ['fs_id', 'in', Object.keys(messageKinds)],
      ];
      const data = await link.rows('ir.model.data', { domain, fields: ['fs_id', 'db_id'] }, options);
      const names = new Map(data.map((row) => [row['db_id'], String(row['fs_id'])]));
      const patterns: MessagePattern[] = [];
      for (const locale of locales) {
        const query = {
          domain: [['id', 'in', [...names.keys()]]],
          fields: ['text'],
          language: languages[locale],
        };
        for (const row of await link.rows('ir.message', query, options)) {
          const kind = messageKinds[names.get(row['id']) ?? ''];
          if (kind !== undefined) patterns.push({ ...kind, pattern: toPattern(String(row['text'])) });
        }
      }
      return patterns;
    } catch (error) {
      // A user without access to the messages still gets them, only less well explained.
      if (error instanceof TrytonError) return [];
      this.#patterns = null;
      throw error;
    }
  }

  async #modelNames(model: string, options: CallOptions): Promise<Set<string>> {
    const names = await Promise.all(
      locales.map((locale) => this.#reader.metadata.modelName(model, locale, options)),
    );
    return new Set(names.flatMap((name) => (name === null ? [] : [name.toLowerCase()])));
  }

  /** Labels in both languages: one message may mix them. */
  async #labels(model: string, options: CallOptions): Promise<Labels> {
    const labels = new Map<string, string[]>();
    for (const locale of locales) {
      const fields = await this.#reader.metadata.fields(model, locale, options);
      for (const field of fields.values()) {
        const label = (field.string ?? '').toLowerCase();
        const ids = labels.get(label) ?? [];
        if (label !== '' && !ids.includes(field.name)) labels.set(label, [...ids, field.name]);
      }
    }
    return labels;
  }
}

function sizesOf(fields: TrytonFields): Map<string, number> {
  const sizes = [...fields.values()].flatMap((field): [string, number][] => {
    const size = Number(field.size);
    return Number.isInteger(size) && size > 0 ? [[field.name, size]] : [];
  });
  return new Map(sizes);
}
