// The product as a process that can be killed: settings as JSON in the first argument, one JSON line when it listens.
import { flushCompileCache } from 'node:module';
import { odataAdapter } from '@sluice/adapter-odata';
import { postgresAdapter } from '@sluice/adapter-sql';
import { createApp } from '@sluice/server/app';
import { createLog } from '@sluice/server/log';
import { z } from 'zod';
import { noFiles, testSecretKey } from './product.ts';
import { wrapSession } from './wrap-session.ts';

const settings = z
  .object({ databaseUrl: z.string(), port: z.number().int(), settleMs: z.number() })
  .parse(JSON.parse(process.argv[2] ?? ''));

const app = await createApp({
  databaseUrl: settings.databaseUrl,
  roles: ['web', 'worker'],
  secretKey: testSecretKey,
  publicUrl: null,
  helpUrl: null,
  timeZone: 'Europe/Amsterdam',
  mail: null,
  inactivityMinutes: 30,
  allowPrivateAddresses: true,
  files: noFiles,
  log: createLog((line) => void process.stderr.write(`${line}\n`)),
  checkReplies: false,
  adapters: [
    {
      ...odataAdapter,
      // A test knows how long its system works on at most, and need not wait as long as one in the world.
      open: (config, context) => {
        const session = odataAdapter.open(config, context);
        return wrapSession(session, { caps: { ...session.caps, settleMs: settings.settleMs } });
      },
    },
    postgresAdapter,
  ],
});
const base = await app.http.listen({ port: settings.port, host: '127.0.0.1' });
console.log(JSON.stringify({ base }));
// Otherwise it is written at a clean end, which this process never has.
flushCompileCache();
