import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridTextKey, GridTranslate } from '../../grid/texts.ts';
import { isAbort } from '../../platform/call.ts';
import { session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { timeZone } from '../../platform/time.ts';
import { toast } from '../../ui/toasts.tsx';
import { TableSession } from './table-session.ts';

const ROW_HEIGHTS = { compact: 28, normal: 32, roomy: 40 } as const;

/** How the logged-in user wants values written. */
export const useFormatSettings = (): FormatSettings => {
  const { t } = useTranslation();
  const state = useStore(session);
  const options = state.status === 'loggedIn' ? state.userPreferences.options : null;
  return {
    formats: options?.formats ?? { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
    timeZone: timeZone(),
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
export const useTable = (
  collection: string,
  systemName: string,
  isWhole: boolean,
): Opening & { retry: () => void } => {
  const { t, i18n } = useTranslation();
  const settings = useFormatSettings();
  const translate = useGridTranslate();
  const state = useStore(session);
  const me = state.status === 'loggedIn' ? state.user.internalId : '';
  const height = state.status === 'loggedIn' ? state.userPreferences.options.rowHeight : 'compact';
  const [attempt, setAttempt] = useState(0);
  // Another language brings other titles and option texts: the table is opened anew.
  const key = [collection, me, attempt, i18n.language].join(' ');
  const [opened, setOpened] = useState<{ key: string; opening: Opening }>({
    key: '',
    opening: { status: 'loading' },
  });
  const open = useEffectEvent((signal: AbortSignal) =>
    TableSession.open(
      {
        collection,
        me,
        settings,
        translate,
        texts: {
          byRun: (run) => t('table.originRun', run),
          changedThere: t('table.conflictAsk', { system: systemName }),
          gone: t('push.gone', { system: systemName }),
          unknownOutcome: t('push.unknownOutcome', { system: systemName }),
        },
        rowHeight: ROW_HEIGHTS[height],
        isWhole,
      },
      signal,
    ),
  );

  useEffect(() => {
    const controller = new AbortController();
    let disconnect: () => void = () => undefined;
    open(controller.signal)
      .then((table) => {
        if (controller.signal.aborted) return;
        table.grid.announce = (text, kind) => {
          if (kind) toast(kind, text);
        };
        disconnect = table.connect();
        setOpened({ key, opening: { status: 'open', table } });
      })
      .catch((error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error))
          setOpened({ key, opening: { status: 'failed', error } });
      });
    return () => {
      controller.abort();
      disconnect();
    };
  }, [key]);

  const opening: Opening = opened.key === key ? opened.opening : { status: 'loading' };
  const table = opening.status === 'open' ? opening.table : null;
  const configure = useEffectEvent(() => {
    table?.grid.configure({ settings, translate, rowHeight: ROW_HEIGHTS[height] });
  });
  // The values matter, not the objects around them.
  const formatKey = [settings.displayMode, ...Object.values(settings.formats), height].join(' ');
  useEffect(() => configure(), [table, formatKey]);

  return { ...opening, retry: () => setAttempt((count) => count + 1) };
};
