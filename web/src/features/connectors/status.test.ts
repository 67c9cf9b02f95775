import i18next from 'i18next';
import { createElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider, initReactI18next } from 'react-i18next';
import { actionStatuses, domainStatuses } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { connectorsPartEn } from '../../platform/i18n/connectors-part-en.ts';
import { en } from '../../platform/i18n/en.ts';
import { DomainStatusBadge } from '../../ui/status-badge.tsx';
import { ActionStatusBadge } from './status.tsx';

await i18next
  .use(initReactI18next)
  .init({ lng: 'en', resources: { en: { translation: { ...en, ...connectorsPartEn } } } });

const drawn = (element: ReactElement) => {
  const html = renderToStaticMarkup(createElement(I18nextProvider, { i18n: i18next }, element));
  return {
    look: /class="badge (\w+)"/.exec(html)?.[1],
    icon: /<svg.*<\/svg>/s.exec(html)?.[0],
    label: html.replaceAll(/<[^>]+>/g, ''),
  };
};
const ofConnectors = actionStatuses.map((status) => ({
  status,
  ...drawn(createElement(ActionStatusBadge, { status, message: null })),
}));
const ofDomains = domainStatuses.map((status) => ({
  status,
  ...drawn(createElement(DomainStatusBadge, { status })),
}));
const looksOf = (badges: readonly { status: string; look: string | undefined }[]) =>
  Object.fromEntries(badges.map(({ status, look }) => [status, look]));

describe('badges of connectors, actions and domains', () => {
  it('[CONN-11] success, warning, info and grey have their statuses, danger has every other one', () => {
    expect(looksOf(ofConnectors)).toEqual({
      ACTIVE: 'success',
      NEVER_SYNCED: 'info',
      MAPPINGS_NOT_SET_UP: 'info',
      INACTIVE: 'grey',
      ERROR_SYNC_FAILED: 'danger',
      ERROR_AUTH_FAILED: 'danger',
      ERROR_OTHER: 'danger',
    });
    expect(looksOf(ofDomains)).toEqual({
      OK: 'success',
      ACTIVE: 'success',
      SYNC_PAUSED: 'warning',
      NEVER_SYNCED: 'info',
      INACTIVE: 'grey',
      INVALID_CREDENTIALS_OR_URL: 'danger',
      ERROR_OTHER: 'danger',
    });
  });

  it('[CONN-12] no two statuses share an icon', () => {
    for (const badges of [ofConnectors, ofDomains]) {
      expect(badges.every(({ icon }) => icon?.includes('<path') ?? false)).toBe(true);
      expect(new Set(badges.map(({ icon }) => icon)).size).toBe(badges.length);
    }
  });

  it('[CONN-10] the three failures read: sync failed, authorization failed, unknown error', () => {
    const label = (status: string) => ofConnectors.find((one) => one.status === status)?.label;
    expect(['ERROR_SYNC_FAILED', 'ERROR_AUTH_FAILED', 'ERROR_OTHER'].map(label)).toEqual([
      'Sync failed',
      'Authorization failed',
      'Unknown error',
    ]);
  });
});
