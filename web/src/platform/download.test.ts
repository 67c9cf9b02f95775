import { describe, expect, it } from 'vitest';
import { bytesText, downloadProgress, followJson, rateOf, recentSamples } from './download.ts';

describe('the progress of a download', () => {
  it('[LOAD-08] is told in Bytes, KB of 1024 and MB of 1,048,576 with two decimals', () => {
    expect([0, 1023, 1024, 1536, 1_048_575, 1_048_576, 2_621_440].map(bytesText)).toEqual([
      '0 Bytes',
      '1023 Bytes',
      '1.00 KB',
      '1.50 KB',
      '1024.00 KB',
      '1.00 MB',
      '2.50 MB',
    ]);
  });

  it('[LOAD-07] has as its speed the average of the last second', () => {
    const samples = [0, 400, 800, 1200, 1600, 2000].map((at) => ({ at, loaded: at < 1000 ? at : at * 3 }));
    const recent = recentSamples(samples, 2000);
    expect(recent.map(({ at }) => at)).toEqual([800, 1200, 1600, 2000]);
    expect(rateOf(recent)).toBeCloseTo((6000 - 800) / 1.2);
    expect(rateOf([{ at: 5, loaded: 70 }])).toBe(0);
  });

  it('[LOAD-09] [LOAD-10] holds the loaded bytes and the rate while somebody waits, and says when the last byte is here', async () => {
    const told: unknown[] = [];
    const text = JSON.stringify({ resources: ['é'.repeat(500)] });
    const bytes = new TextEncoder().encode(text);
    const answer = (): Response =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(bytes.slice(0, 301));
            controller.enqueue(bytes.slice(301));
            controller.close();
          },
        }),
        { headers: { 'content-length': String(bytes.length) } },
      );
    const stopListening = downloadProgress.subscribe(() => told.push(downloadProgress.get()));
    expect(await followJson(answer())).toEqual(JSON.parse(text));
    const total = bytes.length;
    const rate: unknown = expect.any(Number);
    expect(told).toEqual([
      { loaded: 301, rate, total, isComplete: false },
      { loaded: total, rate, total, isComplete: false },
      { loaded: total, rate, total, isComplete: true },
    ]);
    stopListening();
  });
});
