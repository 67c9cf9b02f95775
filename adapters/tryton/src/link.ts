import { ExternalSystemError } from '@sluice/adapter-kit';
import type { CallOptions } from '@sluice/adapter-kit';
import { z } from 'zod';
import { TrytonError } from './rpc.ts';
import type { TrytonRpc } from './rpc.ts';
import { texts } from './texts.ts';

export type Row = Record<string, unknown>;
export type Domain = readonly unknown[];

const rowsSchema = z.array(z.record(z.string(), z.unknown()));
const idsSchema = z.array(z.number());
const preferencesSchema = z.object({
  language: z.string().default('en'),
  company: z.number().nullish(),
  companies: z.array(z.number()).default([]),
  company_filter: z.string().nullish(),
});
export type Preferences = z.infer<typeof preferencesSchema>;

/** The company of a call, null for calls on the domain as a whole. */
export function companyOf(levels: readonly string[]): number | null {
  const company = Number(levels[0]);
  return levels.length > 0 && Number.isSafeInteger(company) ? company : null;
}

/** Calls on models of one database, with the context that each call needs. */
export class TrytonLink {
  readonly rpc: TrytonRpc;
  #preferences: Promise<Preferences> | null = null;

  constructor(rpc: TrytonRpc) {
    this.rpc = rpc;
  }

  /** `language` is Tryton's code; null = the language of the user, in which translatable values are read. */
  async call(
    model: string,
    method: string,
    args: readonly unknown[],
    options: CallOptions,
    extra: { language?: string; timestamps?: Record<string, string> } = {},
  ): Promise<unknown> {
    const company = companyOf(options.levels);
    const context = {
      // Without it inactive records do not exist.
      active_test: false,
      language: extra.language ?? (await this.preferences(options)).language,
      ...(company === null ? {} : { company }),
      ...(extra.timestamps === undefined ? {} : { _timestamp: extra.timestamps }),
    };
    return this.rpc.call(`model.${model}.${method}`, [...args, context], options);
  }

  async rows(
    model: string,
    query: { domain: Domain; fields: readonly string[]; limit?: number; language?: string },
    options: CallOptions,
  ): Promise<Row[]> {
    const args = [query.domain, 0, query.limit ?? null, [['id', 'ASC']], query.fields];
    const extra = query.language === undefined ? {} : { language: query.language };
    return parse(rowsSchema, await this.call(model, 'search_read', args, options, extra), model);
  }

  async readIds(model: string, ids: readonly number[], fields: readonly string[], options: CallOptions) {
    return parse(rowsSchema, await this.call(model, 'read', [ids, fields], options), model);
  }

  async searchIds(
    model: string,
    domain: Domain,
    limit: number | null,
    options: CallOptions,
  ): Promise<number[]> {
    const args = [domain, 0, limit, [['id', 'ASC']]];
    return parse(idsSchema, await this.call(model, 'search', args, options), model);
  }

  async count(model: string, domain: Domain, options: CallOptions): Promise<number> {
    return parse(z.number(), await this.call(model, 'search_count', [domain], options), model);
  }

  /** What the user has set in Tryton: language, companies and which of them are shown. */
  preferences(options: Pick<CallOptions, 'callClass' | 'signal'>): Promise<Preferences> {
    this.#preferences ??= this.rpc
      .call('model.res.user.get_preferences', [false, {}], options)
      .then((answer) => parse(preferencesSchema, answer, 'res.user'))
      .catch((error: unknown) => {
        this.#preferences = null;
        throw error;
      });
    return this.#preferences;
  }

  forgetPreferences(): void {
    this.#preferences = null;
  }

  /**
   * Refuses a company that the user may not use: Tryton itself says nothing then and answers with no records, or
   * with those of another company.
   */
  async checkCompany(options: CallOptions, isRestricted: boolean): Promise<void> {
    const company = companyOf(options.levels);
    if (company === null) return;
    const preferences = await this.preferences(options);
    const text = texts[options.locale];
    if (!preferences.companies.includes(company)) {
      throw new ExternalSystemError('REFUSED', text.companyNotAllowed(company), { retryable: false });
    }
    if (isRestricted && preferences.company_filter === 'one' && preferences.company !== company) {
      throw new ExternalSystemError('REFUSED', text.companyFilter, { retryable: false });
    }
  }
}

export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ExternalSystemError(
    'PROTOCOL',
    `Tryton's answer about ${what} has an unknown form (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}).`,
    { retryable: false },
  );
}

/** A refusal of a call that concerns no single record, as the failure of the whole call. */
export function toCallFailure(error: unknown, model: string): unknown {
  if (!(error instanceof TrytonError)) return error;
  // An unknown model is answered with its name as a KeyError.
  const isGone = error.kind === 'Exception' && error.message.trim() === `'${model}'`;
  return new ExternalSystemError(isGone ? 'NOT_FOUND' : 'REFUSED', error.message.trim(), {
    retryable: false,
    errCode: error.kind,
    cause: error,
  });
}
