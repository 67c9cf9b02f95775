/** What Tryton answered instead of a result. `kind` is its exception's name, or a raw text for other failures. */
class TrytonRpcError extends Error {
  readonly kind: string;
  readonly payload: unknown;

  constructor(kind: string, payload: unknown) {
    super(`${kind}: ${JSON.stringify(payload)}`);
    this.name = 'TrytonRpcError';
    this.kind = kind;
    this.payload = payload;
  }
}

export type TrytonRow = Record<string, unknown>;

export interface TrytonRpc {
  call(method: string, ...params: unknown[]): Promise<unknown>;
  /** Rows of a model, inactive ones too; `context` is added to Tryton's own. */
  search(model: string, domain: unknown[], fields: string[], context?: TrytonRow): Promise<TrytonRow[]>;
  count(model: string, domain: unknown[]): Promise<number>;
  create(model: string, values: TrytonRow[], context?: TrytonRow): Promise<number[]>;
  write(model: string, ids: number[], values: TrytonRow, context?: TrytonRow): Promise<void>;
  remove(model: string, ids: number[]): Promise<void>;
}

/** A plain JSON-RPC client for verification: it shares nothing with the adapter, and uses Node's own fetch. */
export async function connectTryton(url: string, user: string, password: string): Promise<TrytonRpc> {
  async function post(authorization: string | null, method: string, params: unknown[]): Promise<unknown> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization === null ? {} : { authorization }) },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new TrytonRpcError(`HTTP ${answer.status}`, text);
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) throw new TrytonRpcError('no object', text);
    if ('error' in body && Array.isArray(body.error)) {
      throw new TrytonRpcError(String(body.error[0]), body.error[1]);
    }
    return 'result' in body ? body.result : null;
  }

  const login = await post(null, 'common.db.login', [user, { password }, 'en']);
  if (!Array.isArray(login)) throw new Error('login refused');
  const token = Buffer.from(`${user}:${login[0]}:${login[1]}`).toString('base64');
  const call = (method: string, ...params: unknown[]) => post(`Session ${token}`, method, params);
  return {
    call,
    async search(model, domain, fields, context = {}) {
      const rows = await call(`model.${model}.search_read`, domain, 0, null, [['id', 'ASC']], fields, {
        active_test: false,
        ...context,
      });
      if (!Array.isArray(rows)) throw new Error('search_read gave no list');
      return rows;
    },
    async count(model, domain) {
      return Number(await call(`model.${model}.search_count`, domain, { active_test: false }));
    },
    async create(model, values, context = {}) {
      const ids = await call(`model.${model}.create`, values, context);
      if (!Array.isArray(ids)) throw new Error('create gave no list');
      return ids.map(Number);
    },
    async write(model, ids, values, context = {}) {
      await call(`model.${model}.write`, ids, values, context);
    },
    async remove(model, ids) {
      await call(`model.${model}.delete`, ids, {});
    },
  };
}
