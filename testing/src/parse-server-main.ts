/** Runs parse-server from the folder that it was installed into; settings come as JSON in the environment. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';

const settings = z
  .object({
    folder: z.string(),
    port: z.number(),
    options: z.record(z.string(), z.unknown()),
  })
  .parse(JSON.parse(process.env['PARSE_SETTINGS'] ?? '{}'));

interface ParseServer {
  app: Parameters<typeof createServer>[1] & { use(path: string, app: unknown): void };
  start(): Promise<void>;
}

const load = createRequire(join(settings.folder, 'package.json'));
const { ParseServer } = load('parse-server') as {
  ParseServer: new (options: Record<string, unknown>) => ParseServer;
};
const express = load('express') as () => ParseServer['app'];

const server = new ParseServer(settings.options);
await server.start();
const app = express();
app.use('/parse', server.app);
createServer(app).listen(settings.port, '127.0.0.1', () => console.log('ready'));
