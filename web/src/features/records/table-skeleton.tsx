import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { bytesText, downloadProgress } from '../../platform/download.ts';
import { currentLanguage } from '../../platform/i18n/i18n.ts';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import { nextMessage } from './waiting-turn.ts';

const ROTATION_START_MS = 2000;
const ROTATION_MS = 8200;
/** Changes of the message after the first; then the last one stays (decisions Q-LOAD-01). */
const MOST_CHANGES = 5;

/** The message of a wait: null at first, then the one about the external system, then others in turn. */
const useWaitingMessage = (): string | null => {
  const [message, setMessage] = useState<string | null>(null);
  useEffect(() => {
    const messages = import('../../platform/i18n/waiting-messages.ts');
    let timer = 0;
    let isLeft = false;
    const show = async (change: number): Promise<void> => {
      const { waitingMessages } = await messages;
      if (isLeft) return;
      const index = change === 0 ? 0 : nextMessage(waitingMessages.length, localStorage, Math.random);
      setMessage(waitingMessages[index]?.[currentLanguage() === 'NL' ? 1 : 0] ?? null);
      if (change < MOST_CHANGES) timer = window.setTimeout(() => void show(change + 1), ROTATION_MS);
    };
    timer = window.setTimeout(() => void show(0), ROTATION_START_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, []);
  return message;
};

/** The shape of a table while its first rows are on their way, with what one waits for. */
export const TableSkeleton = () => {
  const { t } = useTranslation();
  const message = useWaitingMessage();
  const progress = useStore(downloadProgress);
  const line = progress?.isComplete ? t('loading.processing') : (message ?? t('loading.plain'));
  return (
    <div className="gridwrap" aria-busy="true">
      <div className="skel-grid" aria-hidden="true">
        {Array.from({ length: 24 }, (_, row) => (
          <div key={row}>
            {[54, 150, 84, 70, 100, 120, 110, 90, 80].map((width, i) => (
              <span
                key={i}
                className="skel"
                style={{ width: width * (0.7 + ((row * 7 + i * 3) % 4) * 0.1) }}
              />
            ))}
          </div>
        ))}
      </div>
      <output className="vh">{t('loading.plain')}</output>
      {/* Read out again and again, the changing lines would only disturb. */}
      <div className="loading" aria-hidden="true">
        <Icon name="spinner" size="spin" />
        {/* Another element for another text: one whose words change in place counts as having moved. */}
        <p key={line}>{line}</p>
        <p className="mut tn">
          {progress
            ? t(progress.total === null ? 'loading.download' : 'loading.downloadOf', {
                loaded: bytesText(progress.loaded),
                rate: bytesText(progress.rate),
                total: bytesText(progress.total ?? 0),
              })
            : null}
        </p>
      </div>
    </div>
  );
};
