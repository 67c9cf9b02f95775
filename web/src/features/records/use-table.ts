import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridTextKey, GridTranslate } from '../../grid/texts.ts';
import { isAbort } from '../../platform/call.ts';
import { session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { timeZone } from '../../platform/time.ts';
import { toast } from '../../ui/toasts.tsx';
import { TableSession } from './table-session.ts';

export const ROW_HEIGHTS = { compact: 28, normal: 32, roomy: 40 } as const;

/** How the logged-in user wants values written. */
export const useFormatSettings = (): FormatSettings => {
  const { t } = useTranslation();
  const state = useStore(session);
  const options = state.status === 'loggedIn' ? state.userPreferences.options : null;
  return {
    formats: options?.formats ?? { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
    timeZone,
    displayMode: options?.table.fieldsWithOptions.displayMode ?? 'both',
    yes: t('common.yes'),
    no: t('common.no'),
  };
};

export const useGridTranslate = (): GridTranslate => {
  const { t } = useTranslation();
  return (key: GridTextKey, params) => t(`grid.${key}`, { ...params });
};

export type Opening =
  | { status: 'loading' }
  | { status: 'open'; table: TableSession }
  | { status: 'failed'; error: unknown };

/** Opens a table and keeps it up to date with language, formats and row height. */
export const useTable = (collection: string, systemName: string): Opening & { retry: () => void } => {
  const { t, i18n } = useTranslation();
  const settings = useFormatSettings();
  const translate = useGridTranslate();
  const state = useStore(session);
  const me = state.status === 'loggedIn' ? state.user.internalId : '';
  const height = state.status === 'loggedIn' ? state.userPreferences.options.rowHeight : 'compact';
  const [opening, setOpening] = useState<Opening>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef({ settings, translate, height });
  latest.current = { settings, translate, height };

  useEffect(() => {
    const controller = new AbortController();
    let disconnect: () => void = () => undefined;
    setOpening({ status: 'loading' });
    TableSession.open(
      {
        collection,
        me,
        settings: latest.current.settings,
        translate: latest.current.translate,
        texts: {
          changedThere: t('form.conflictTitle', { system: systemName }),
          gone: t('push.gone', { system: systemName }),
          unknownOutcome: t('push.unknownOutcome', { system: systemName }),
        },
        rowHeight: ROW_HEIGHTS[latest.current.height],
      },
      controller.signal,
    )
      .then((table) => {
        if (controller.signal.aborted) return;
        table.grid.announce = (text, kind) => {
          if (kind) toast(kind, text);
        };
        disconnect = table.connect();
        setOpening({ status: 'open', table });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error)) setOpening({ status: 'failed', error });
      });
    return () => {
      controller.abort();
      disconnect();
    };
    // Another language brings other titles and option texts: the table is opened anew.
  }, [collection, me, attempt, i18n.language, systemName, t]);

  useEffect(() => {
    if (opening.status !== 'open') return;
    opening.table.grid.configure({ settings, translate, rowHeight: ROW_HEIGHTS[height] });
    // The values matter, not the objects around them.
  }, [opening, settings.displayMode, JSON.stringify(settings.formats), height]);

  return { ...opening, retry: () => setAttempt((count) => count + 1) };
};
