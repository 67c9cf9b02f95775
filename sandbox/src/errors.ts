import { message, type MessageCode, type Params } from './texts.ts';
import type { Language } from './model/types.ts';

/** One thing that is wrong with a record; `target` is the property path. */
export interface Problem {
  code: MessageCode;
  params: Params;
  target?: string;
}

/** Becomes an OData error answer in the language of the request. */
export class ODataError extends Error {
  readonly status: number;
  readonly problems: readonly Problem[];
  readonly headers: Record<string, string>;

  constructor(status: number, problems: readonly Problem[], headers: Record<string, string> = {}) {
    super(problems.map((p) => p.code).join(', '));
    this.status = status;
    this.problems = problems;
    this.headers = headers;
  }
}

export function fail(
  status: number,
  code: MessageCode,
  params: Params = {},
  headers: Record<string, string> = {},
): ODataError {
  return new ODataError(status, [{ code, params }], headers);
}

export function errorBody(problems: readonly Problem[], language: Language) {
  const lines = problems.map(({ code, params, target }) => ({
    code,
    message: message(code, language, params),
    ...(target === undefined ? {} : { target }),
  }));
  const first = lines[0] ?? { code: 'INTERNAL', message: message('INTERNAL', language) };
  return { error: { ...first, details: lines } };
}
