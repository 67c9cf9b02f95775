import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readableZlib } from './compression.ts';

const answer = Buffer.from(
  JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ id: i, name: `Customer ${Math.sin(i)}` }))),
);

/** How many bytes can be read once so many of the compressed ones are here. */
async function readable(compressed: Buffer, arrived: number): Promise<number> {
  const reader = zlib.createZstdDecompress();
  let read = 0;
  reader.on('data', (part: Buffer) => {
    read += part.length;
  });
  reader.write(compressed.subarray(0, arrived));
  await setTimeout(50);
  reader.destroy();
  return read;
}

describe('compressed answers', () => {
  it('[LOAD-09] can be read as they arrive, whether they were compressed whole or piece by piece', async () => {
    const whole = readableZlib.zstdCompressSync(answer);
    const stream = readableZlib.createZstdCompress();
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.end(answer);
    await once(stream, 'end');
    for (const compressed of [whole, Buffer.concat(parts)]) {
      expect(zlib.zstdDecompressSync(compressed)).toEqual(answer);
      expect(await readable(compressed, Math.round(compressed.length / 2))).toBeGreaterThan(
        answer.length / 4,
      );
    }
    // As the library does by itself: nothing before the end.
    const plain = zlib.zstdCompressSync(answer);
    expect(await readable(plain, Math.round(plain.length / 2))).toBe(0);
  });
});
