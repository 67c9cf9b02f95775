import { ExternalSystemError } from '@sluice/adapter-kit';
import type { CallOptions } from '@sluice/adapter-kit';
import type { Locale, Option } from '@sluice/contract';
import { z } from 'zod';
import { parse } from './link.ts';
import type { TrytonLink } from './link.ts';
import { TrytonError } from './rpc.ts';

const fieldSchema = z.object({
  name: z.string(),
  type: z.string(),
  string: z.string().nullish(),
  help: z.string().nullish(),
  // Some modules write 1 for true.
  required: z.coerce.boolean(),
  readonly: z.coerce.boolean(),
  states: z.string(),
  searchable: z.boolean(),
  sortable: z.boolean(),
  translate: z.boolean().nullish(),
  relation: z.string().nullish(),
  relation_field: z.string().nullish(),
  /** A list of [value, label], or the name of the method that gives it. */
  selection: z.unknown().optional(),
  selection_change_with: z.array(z.string()).nullish(),
  /** JSON of PYSON. */
  digits: z.unknown().optional(),
  size: z.unknown().optional(),
});
export type TrytonField = z.infer<typeof fieldSchema>;
export type TrytonFields = ReadonlyMap<string, TrytonField>;

const fieldsSchema = z.record(z.string(), fieldSchema);
const selectionSchema = z.array(
  z.tuple([z.union([z.string(), z.number(), z.boolean(), z.null()]), z.string()]),
);
const accessSchema = z.record(
  z.string(),
  z.object({
    read: z.coerce.boolean(),
    write: z.coerce.boolean(),
    create: z.coerce.boolean(),
    delete: z.coerce.boolean(),
  }),
);
export type Access = z.infer<typeof accessSchema>[string];
const viewSchema = z.object({ arch: z.string() });

export const languages: Record<Locale, string> = { EN: 'en', NL: 'nl' };

/** What Tryton says of its models, kept for the life of the session until asked for again. */
export class Metadata {
  readonly #link: TrytonLink;
  readonly #fields = new Map<string, Promise<TrytonFields>>();
  readonly #modelNames = new Map<string, Promise<string | null>>();

  constructor(link: TrytonLink) {
    this.#link = link;
  }

  /** Fields by name. Labels are in the language of `locale`; everything else is the same in all. */
  fields(model: string, locale: Locale, options: CallOptions): Promise<TrytonFields> {
    const key = `${model} ${locale}`;
    const known = this.#fields.get(key);
    if (known !== undefined) return known;
    const answer = this.#fetchFields(model, locale, options);
    this.#fields.set(key, answer);
    answer.catch(() => this.#fields.delete(key));
    return answer;
  }

  async #fetchFields(model: string, locale: Locale, options: CallOptions): Promise<TrytonFields> {
    const extra = { language: languages[locale] };
    const answer = await this.#link.call(model, 'fields_get', [null], options, extra);
    return new Map(Object.entries(parse(fieldsSchema, answer, `the fields of ${model}`)));
  }

  forget(model: string): void {
    for (const key of this.#fields.keys()) if (key.startsWith(`${model} `)) this.#fields.delete(key);
  }

  /** How Tryton calls the model in its messages. */
  modelName(model: string, locale: Locale, options: CallOptions): Promise<string | null> {
    const key = `${model} ${locale}`;
    const known = this.#modelNames.get(key);
    if (known !== undefined) return known;
    const answer = this.#link
      .rows(
        'ir.model',
        { domain: [['model', '=', model]], fields: ['name'], language: languages[locale] },
        options,
      )
      .then((rows) => (typeof rows[0]?.['name'] === 'string' ? rows[0]['name'] : null));
    this.#modelNames.set(key, answer);
    answer.catch(() => this.#modelNames.delete(key));
    return answer;
  }

  async access(models: readonly string[], options: CallOptions): Promise<Record<string, Access>> {
    const answer = await this.#link.call('ir.model.access', 'get_access', [models], options);
    return parse(accessSchema, answer, 'access rights');
  }

  /** Names of the fields on the model's own screen, in its order; empty where it has none. */
  async viewFields(model: string, type: 'form' | 'tree', options: CallOptions): Promise<string[]> {
    try {
      const answer = await this.#link.call(model, 'fields_view_get', [null, type], options);
      const { arch } = parse(viewSchema, answer, `the ${type} of ${model}`);
      return [
        ...new Set([...arch.matchAll(/<field\b[^>]*?\sname="([^"]+)"/g)].map((match) => match[1] ?? '')),
      ];
    } catch (error) {
      if (error instanceof TrytonError) return [];
      throw error;
    }
  }

  /** The values that Tryton gives to a new record. */
  async defaults(
    model: string,
    fields: TrytonFields,
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    try {
      const answer = await this.#link.call(model, 'default_get', [[...fields.keys()], false], options);
      return parse(z.record(z.string(), z.unknown()), answer, `the defaults of ${model}`);
    } catch (error) {
      // Some defaults need a setting that is missing in this database; Tryton will say so when it matters.
      if (error instanceof TrytonError) return {};
      throw error;
    }
  }

  /** The choices of a field; undefined where they depend on the record. */
  async selection(
    model: string,
    field: TrytonField,
    locale: Locale,
    options: CallOptions,
  ): Promise<Option[] | undefined> {
    let { selection } = field;
    if (typeof selection === 'string') {
      if ((field.selection_change_with ?? []).length > 0) return undefined;
      try {
        selection = await this.#link.call(model, selection, [], options, { language: languages[locale] });
      } catch (error) {
        // Not every method may be called from outside.
        if (error instanceof TrytonError || error instanceof ExternalSystemError) return undefined;
        throw error;
      }
    }
    const parsed = selectionSchema.safeParse(selection);
    if (!parsed.success) return undefined;
    return parsed.data.flatMap(([value, description]) =>
      value === null || value === '' ? [] : [{ value, description }],
    );
  }
}
