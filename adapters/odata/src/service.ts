import { hash } from 'node:crypto';
import {
  ExternalSystemError,
  type CallOptions,
  type Company,
  type ConnectionConfig,
} from '@sluice/adapter-kit';
import { companySetOf, typeOf } from './describe.ts';
import { parseCsdl, type EntitySet, type Model, type StructuredType } from './csdl.ts';
import { protocolError, type HttpClient } from './http.ts';
import { control, setSchema, type Entity } from './json.ts';
import { keyOfEntity, pathOf } from './keys.ts';

/** One OData service: a domain, or a company in it. */
export interface Service {
  /** Absolute address, ending with a slash. */
  root: string;
  model: Model;
  /** How many system levels are needed to reach it. */
  numberOfSystemLevels: number;
}

/** A collection with all that is needed to call it. */
export interface Collection extends Service {
  set: EntitySet;
  type: StructuredType;
}

/** `{database}` in the url is replaced; without it the database is the last part of the path. */
export function rootOf({ url, database }: Pick<ConnectionConfig, 'url' | 'database'>): string {
  const name = encodeURIComponent(database);
  const base = url.includes('{database}') ? url.replaceAll('{database}', name) : url;
  const slashed = base.endsWith('/') ? base : `${base}/`;
  return database === '' || base !== url ? slashed : `${slashed}${name}/`;
}

type Calls = Pick<CallOptions, 'locale' | 'signal' | 'callClass'>;

/** As many as some systems have in two languages; the one that was asked for longest ago goes first. */
const mostModels = 16;
/** By the fingerprint of their text. */
const models = new Map<string, Model>();

/**
 * What a text of `$metadata` says. Every refresh of every table asks for it anew, and companies have the same: one that
 * is known is not parsed again, which takes a quarter of a second for each megabyte, in which nothing else goes on.
 */
function modelOf(text: string): Model {
  const fingerprint = hash('sha256', text);
  const model = models.get(fingerprint) ?? parseCsdl(text);
  models.delete(fingerprint);
  models.set(fingerprint, model);
  const [oldest] = models.keys();
  if (models.size > mostModels && oldest !== undefined) models.delete(oldest);
  return model;
}

/** Finds the services of a domain and keeps what their metadata said. */
export class Services {
  readonly #http: HttpClient;
  readonly #root: string;
  readonly #known = new Map<string, Promise<Service>>();

  constructor(http: HttpClient, config: ConnectionConfig) {
    this.#http = http;
    this.#root = rootOf(config);
  }

  get root(): string {
    return this.#root;
  }

  #cached(name: string, isFresh: boolean, load: () => Promise<Service>): Promise<Service> {
    const known = this.#known.get(name);
    if (known && !isFresh) return known;
    const loading = load();
    this.#known.set(name, loading);
    loading.catch(() => this.#known.delete(name));
    return loading;
  }

  async #metadata(root: string, calls: Calls): Promise<Model> {
    const headers = { accept: 'application/xml' };
    const answer = await this.#http.send({ ...calls, method: 'GET', url: `${root}$metadata`, headers });
    if (answer.status !== 200) throw this.#http.failure(answer);
    try {
      return modelOf(answer.text);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw protocolError(answer, `$metadata cannot be read: ${why}`, error);
    }
  }

  domain(calls: Calls, isFresh = false): Promise<Service> {
    return this.#cached(`|${calls.locale}`, isFresh, async () => ({
      root: this.#root,
      model: await this.#metadata(this.#root, calls),
      numberOfSystemLevels: 1,
    }));
  }

  /**
   * The service of a company. Where the company has no metadata of its own, its sets are those of the domain,
   * addressed below the company (as Business Central does).
   */
  async company(id: string, calls: Calls, isFresh = false): Promise<Service> {
    const domain = await this.domain(calls);
    const set = companySetOf(domain.model);
    if (!set) throw new ExternalSystemError('NOT_FOUND', 'the domain has no companies', { retryable: false });
    const root = `${this.#root}${pathOf(domain.model, typeOf(domain.model, set), set.name, id)}/`;
    return this.#cached(`${id}|${calls.locale}`, isFresh, async () => {
      const numberOfSystemLevels = 2;
      try {
        return { root, model: await this.#metadata(root, calls), numberOfSystemLevels };
      } catch (error) {
        const isMissing =
          error instanceof ExternalSystemError && ['NOT_FOUND', 'REFUSED'].includes(error.code);
        if (!isMissing) throw error;
        await this.#companyExists(root, calls);
        return { root, model: domain.model, numberOfSystemLevels };
      }
    });
  }

  async #companyExists(root: string, calls: Calls): Promise<void> {
    const answer = await this.#http.send({ ...calls, method: 'GET', url: root.slice(0, -1) });
    this.#http.parse(answer);
  }

  /** The services that one call may look into, the deepest first. */
  async of({ levels, ...calls }: CallOptions, isFresh = false): Promise<Service[]> {
    const domain = await this.domain(calls, isFresh);
    const [companyId] = levels;
    return companyId === undefined ? [domain] : [await this.company(companyId, calls, isFresh), domain];
  }

  async collection(name: string, options: CallOptions, isFresh = false): Promise<Collection> {
    for (const service of await this.of(options, isFresh)) {
      const set = service.model.sets.find((s) => s.name === name);
      if (set && set !== companySetOf(service.model))
        return { ...service, set, type: typeOf(service.model, set) };
    }
    throw new ExternalSystemError('NOT_FOUND', `there is no collection ${name}`, { retryable: false });
  }

  async companies(calls: Calls): Promise<Company[]> {
    const { model, root } = await this.domain(calls);
    const set = companySetOf(model);
    if (!set) return [];
    const type = typeOf(model, set);
    const found: Company[] = [];
    for (let url: string | null = `${root}${set.name}`; url !== null;) {
      const { body } = await this.#http.json({ ...calls, method: 'GET', url }, setSchema);
      for (const entity of body.value) {
        const id = keyOfEntity(model, type, entity);
        if (id !== null)
          found.push({
            id,
            name: textIn(entity, /^(display_?)?name$/i) ?? id,
            acronym: acronymOf(entity, id),
          });
      }
      const next = control(body, 'nextLink');
      url = next === null ? null : sameOrigin(next, root);
    }
    return found;
  }
}

function textIn(entity: Entity, name: RegExp): string | null {
  const found = Object.entries(entity).find(
    ([key, value]) => name.test(key) && typeof value === 'string' && value !== '',
  );
  return typeof found?.[1] === 'string' ? found[1] : null;
}

function acronymOf(entity: Entity, id: string): string {
  return (
    textIn(entity, /^(acronym|code|abbreviation|short_?name)$/i) ??
    textIn(entity, /^name$/i)?.slice(0, 12) ??
    id
  );
}

/** Links of the system are followed only to itself: the credentials go along. */
export function sameOrigin(link: string, root: string): string {
  const url = new URL(link, root);
  if (url.origin !== new URL(root).origin)
    throw new ExternalSystemError('PROTOCOL', `the system refers to another host: ${url.host}`, {
      retryable: false,
    });
  return url.href;
}
