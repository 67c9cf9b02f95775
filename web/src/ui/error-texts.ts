import type { TFunction } from 'i18next';
import { ApiError, errorText } from '../platform/call.ts';

/** What is known of something that went wrong, as far as a person is told. */
export interface Failure {
  code: string;
  status: number | null;
  /** What the server said, in the language of the user. */
  message: string | null;
  /** Lines for who looks into it: the status in words, the number of the request, the server's log. */
  logs: readonly string[];
}

export const failureOf = (error: unknown): Failure => {
  if (!(error instanceof ApiError)) {
    return {
      code: 'APP_UNEXPECTED_ERROR',
      status: null,
      message: import.meta.env.DEV ? errorText(error) : null,
      logs: [],
    };
  }
  const { code, status, statusDescription, body } = error;
  return {
    code,
    status: status || null,
    // Without a body of the server's own the status is all that is known.
    message: body || !status ? errorText(error) : null,
    logs: [
      ...(status ? [`${status} ${statusDescription}`.trim()] : []),
      ...(body?.requestId ? [body.requestId] : []),
      ...(body?.logs ?? []),
    ],
  };
};

const UNAUTHORIZED = new Set(['UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', 'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM']);

/** Whoever may manage domains can do something about these. */
export const isUnauthorized = ({ code, status }: Pick<Failure, 'code' | 'status'>): boolean =>
  UNAUTHORIZED.has(code) || status === 403 || code === '403';

/** Codes with texts of their own; the product's named codes are looked up by their status. */
export const textsOf = (
  { code, status, message }: Pick<Failure, 'code' | 'status' | 'message'>,
  domain: string | undefined,
  t: TFunction,
): { shownCode: string; title: string; text: string; detail: string | null } => {
  const inDomain = domain ? t('error.inDomain', { acronym: domain }) : '';
  const number = /^\d{3}$/.test(code) ? Number(code) : status;
  const told = (shownCode: string, title: string, text: string) => ({
    shownCode,
    title,
    text,
    detail: message && message !== text ? message : null,
  });
  switch (code) {
    case 'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT':
      return told(code, t('error.endpoint'), t('error.endpointText', { domain: inDomain }));
    case 'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM':
      return told(code, t('error.system'), t('error.systemText', { domain: inDomain }));
    case 'NOTHING_CACHED_YET':
      return { ...told(code, t('error.nothingCached'), t('error.nothingCachedText')), detail: null };
  }
  if (code.startsWith('APP')) return told(code, t('error.app'), t('error.appText'));
  switch (number) {
    case 400:
    case 403:
    case 404:
    case 405:
    case 500:
      return told(String(number), t(`error.e${number}`), t(`error.e${number}Text`, { domain: inDomain }));
  }
  if (number && number >= 400 && number < 500)
    return told(String(number), t('error.e4XX'), t('error.e4XXText'));
  if (number && number >= 500 && number < 600)
    return told(String(number), t('error.e5XX'), t('error.e5XXText'));
  return {
    shownCode: code,
    title: t('error.generic'),
    text: message ?? t('error.genericText'),
    detail: null,
  };
};
