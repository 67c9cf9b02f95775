import { useEffect, useState } from 'react';
import { errorText } from '../../platform/call.ts';
import { type PreferenceAt, savePreference } from '../../platform/session.ts';
import { toast } from '../../ui/toasts.tsx';

const TICK_MS = 2500;

/** Saves one preference at once; its name stands in `saved` for a moment. What could not be saved goes back. */
export const useSave = () => {
  const [saved, setSaved] = useState<string | null>(null);
  useEffect(() => {
    if (saved === null) return undefined;
    const timer = setTimeout(() => setSaved(null), TICK_MS);
    return () => clearTimeout(timer);
  }, [saved]);
  const note = (name: string, work: Promise<unknown>): void => {
    setSaved(null);
    work.then(
      () => setSaved(name),
      (error: unknown) => toast('error', errorText(error)),
    );
  };
  return {
    saved,
    note,
    save: <P extends string>(path: P, value: PreferenceAt<P>): void =>
      note(path, savePreference(path, value)),
  };
};
