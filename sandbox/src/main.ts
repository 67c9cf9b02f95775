import { readConfig } from './config.ts';
import { startSandbox } from './index.ts';

function settings(): ReturnType<typeof readConfig> {
  try {
    return readConfig(process.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

const config = settings();
const sandbox = await startSandbox({ ...config, crash: () => process.kill(process.pid, 'SIGKILL') });
console.log(JSON.stringify({ ready: true, url: sandbox.url }));

let isStopping = false;
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  void sandbox.close().then(() => process.exit(0));
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
if (config.exitWithStdin) process.stdin.on('end', stop).on('close', stop).resume();
