import { type ComponentType, useEffect, useState } from 'react';
import { t } from '../platform/i18n/i18n.ts';
import { toast } from './toasts.tsx';

const RETRY_MS = 2000;
/** A screen is at rest by then, and nobody has opened much yet. */
const SOON_MS = 4000;

const parts: (() => Promise<unknown>)[] = [];

/**
 * A part of a screen (a dialog, mostly) whose code comes when it is first shown, or soon after the screen stands. Where
 * the line is down it says so once and appears when it can.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | null = null;
  const fetchPart = async (): Promise<void> => {
    Loaded ??= await load();
  };
  parts.push(fetchPart);
  return function LazyPart(props: P) {
    const [, setLoaded] = useState(Loaded !== null);
    useEffect(() => {
      let isGone = false;
      const attempt = async (isFirst: boolean): Promise<void> => {
        try {
          await fetchPart();
          if (!isGone) setLoaded(true);
        } catch (error) {
          console.error(error);
          if (isGone) return;
          if (isFirst) toast('error', t('error.network'));
          setTimeout(() => void attempt(false), RETRY_MS);
        }
      };
      void attempt(true);
      return () => {
        isGone = true;
      };
    }, []);
    return Loaded ? <Loaded {...props} /> : null;
  };
}

let isAsked = false;

/** Fetches the parts that nobody has opened yet, one after the other, once the screen is at rest. */
export const loadPartsSoon = (): void => {
  if (isAsked) return;
  isAsked = true;
  setTimeout(async () => {
    try {
      for (const fetchPart of parts) await fetchPart();
    } catch (error) {
      // Each is asked for again when it is opened.
      console.error(error);
    }
  }, SOON_MS);
};
