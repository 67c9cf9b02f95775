import { createStore } from './store.ts';

/** What has arrived of the answer that a loading screen waits for. */
export interface DownloadProgress {
  /** Bytes. */
  loaded: number;
  /** Bytes a second, over the last second. */
  rate: number;
  /** Bytes, where the server said how many come. */
  total: number | null;
  /** The last byte is here: what follows is work of this page. */
  isComplete: boolean;
}

/** Null before anything has arrived. */
export const downloadProgress = createStore<DownloadProgress | null>(null);

export interface Sample {
  /** Milliseconds. */
  at: number;
  /** Bytes until then. */
  loaded: number;
}

const WINDOW_MS = 1000;

/** Samples of the last second and the last one before it, which the average starts from. */
export const recentSamples = (samples: readonly Sample[], now: number): readonly Sample[] => {
  const first = samples.findLastIndex((one) => one.at <= now - WINDOW_MS);
  return samples.slice(Math.max(0, first));
};

/** Bytes a second over the samples; all of them at once count as a second's. */
export const rateOf = (samples: readonly Sample[]): number => {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return 0;
  const ms = last.at - first.at;
  return ms > 0 ? ((last.loaded - first.loaded) / ms) * 1000 : last.loaded - first.loaded;
};

/** Bytes, KB of 1024 or MB of 1024 KB; two decimals (specification, section 4). */
export const bytesText = (bytes: number): string => {
  if (bytes < 1024) return `${Math.round(bytes)} Bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(2)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(2)} MB`;
};

/** The JSON of an answer whose bytes are followed in `downloadProgress` until the next one is. */
export const followJson = async (response: Response): Promise<unknown> => {
  // A compressed answer's length says nothing about the bytes that are counted here.
  const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
  const total = length === null ? null : Number(length);
  const parts: BlobPart[] = [];
  let loaded = 0;
  let samples: readonly Sample[] = [{ at: performance.now(), loaded }];
  const tell = (isComplete: boolean): void => {
    const now = performance.now();
    samples = recentSamples([...samples, { at: now, loaded }], now);
    downloadProgress.set({ loaded, rate: rateOf(samples), total, isComplete });
  };
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    parts.push(part.value);
    loaded += part.value.byteLength;
    tell(false);
  }
  tell(true);
  return JSON.parse(await new Blob(parts).text());
};
