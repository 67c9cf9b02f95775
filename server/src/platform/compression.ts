import zlib from 'node:zlib';

/** ZSTD_c_targetCBlockSize of the zstd library; Node's constants leave it out. */
const TARGET_BLOCK_SIZE = 130;

/**
 * Bytes. A browser reads a block of zstd only when all of it has arrived, and a block may hold 128 KB: on a slow line
 * nothing would be seen of an answer until its end. Costs about a hundredth more bytes.
 */
const BLOCK = 1400;

const options: zlib.ZstdOptions = { params: { [TARGET_BLOCK_SIZE]: BLOCK } };

/** Node's zlib, whose zstd can be read while it is on its way. */
export const readableZlib = {
  ...zlib,
  createZstdCompress: () => zlib.createZstdCompress(options),
  zstdCompressSync: (payload: Buffer | string) => zlib.zstdCompressSync(payload, options),
};
