import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../platform/call.ts';
import { startEn } from '../platform/i18n/start-en.ts';
import { failureOf, textsOf } from './error-texts.ts';

beforeAll(
  async () =>
    void (await i18next.init({
      lng: 'en',
      resources: { en: { translation: startEn } },
      interpolation: { escapeValue: false },
    })),
);

const told = (code: string, status: number | null = null, message: string | null = null, domain?: string) =>
  textsOf({ code, status, message }, domain, i18next.t);

describe('what an error page says', () => {
  it('[ERR-06] [ERR-09] [ERR-12] [ERR-13] statuses have their own texts, others those of their hundred', () => {
    expect(told('400')).toMatchObject({ shownCode: '400', title: 'Bad request' });
    expect(told('405').title).toBe('Method not allowed');
    expect(told('500').title).toBe('Internal server error');
    expect(told('418')).toMatchObject({
      shownCode: '418',
      title: 'Client error',
      text: startEn.error.e4XXText,
    });
    expect(told('502')).toMatchObject({
      shownCode: '502',
      title: 'Server error',
      text: startEn.error.e5XXText,
    });
    expect(told('NOT_FOUND', 404)).toMatchObject({ shownCode: '404', title: 'Page not found' });
  });

  it('[ERR-14] [ERR-15] faults of the page itself and what nobody knows', () => {
    expect(told('APP_UNEXPECTED_ERROR')).toMatchObject({ title: 'Application error' });
    expect(told('APP_OTHER').title).toBe('Application error');
    expect(told('SOMETHING')).toMatchObject({
      shownCode: 'SOMETHING',
      title: 'Unknown error',
      text: 'Something went wrong. Please try again later. We are already working on it.',
    });
  });

  it("[ERR-10] [ERR-11] [ERR-16] known codes name the domain and keep the server's words beside their own; others are told in the given words", () => {
    const texts = told('UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', 502, 'The ERP said no.', 'production');
    expect(texts.text).toBe(
      'Sluice has no access to this part of the external system in domain production. Please contact your administrator.',
    );
    expect(texts.detail).toBe('The ERP said no.');
    expect(told('UNAUTHORIZED_FOR_EXTERNAL_SYSTEM', 502).text).toBe(
      'Sluice could not get access to the external system.',
    );
    expect(told('500', null, null, 'test').text).toContain('in domain test');
    expect(told('API_ERR', null, 'metadata is missing')).toMatchObject({
      title: 'Unknown error',
      text: 'metadata is missing',
    });
  });

  it('[ERR-19] an HTTP error carries its status, the status in words, the body and the message of the server', () => {
    const body = {
      code: 'CONFLICT',
      message: 'Somebody was first.',
      statusCode: 409,
      statusDescription: 'Conflict',
      requestId: 'r-1',
      logs: ['line'],
      fieldErrors: [],
    };
    const error = new ApiError(body.code, 409, body.message, body as unknown as ApiError['body']);
    expect(error).toMatchObject({ status: 409, statusDescription: 'Conflict', body });
    expect(failureOf(error)).toEqual({
      code: 'CONFLICT',
      status: 409,
      message: 'Somebody was first.',
      logs: ['409 Conflict', 'r-1', 'line'],
    });
  });
});
