// Installs the external systems that the system tests run against, from the packages of Debian or Ubuntu,
// and parse-server from the npm registry, into the tests' own temporary folder. Plain JavaScript without dependencies, for the machine's own Node 20. What it cannot do it says loudly; it
// still exits with 0, because the tests themselves fail with a reason when their system is missing.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const trytonModules =
  'party company currency country product account account-product account-invoice sale purchase stock'.split(
    ' ',
  );

/** `command` proves that the system is there; `service` is what Debian would start with it, and must not. */
const systems = [
  {
    name: 'Tryton',
    command: 'trytond',
    packages: ['tryton-server', 'python3-psycopg2', ...trytonModules.map((name) => `tryton-modules-${name}`)],
    service: 'tryton-server',
  },
  {
    name: 'MariaDB',
    command: 'mariadbd',
    packages: ['mariadb-server', 'mariadb-client'],
    service: 'mariadb',
  },
  {
    name: 'OpenSSH',
    command: 'sshd',
    packages: ['openssh-server'],
    service: 'ssh',
  },
];

const run = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });

function hasCommand(command) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function isInstalled(name) {
  const { status, stdout } = run('dpkg-query', ['--show', '--showformat=${Status}', name]);
  return status === 0 && stdout.endsWith(' installed');
}

/** The words to put before a command so that it runs as root; null when this user may not. */
function findRootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (hasCommand('sudo') && run('sudo', ['-n', 'true']).status === 0) return ['sudo', '-n'];
  return null;
}

function runAsRoot(prefix, command, args, input) {
  const [first, ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', command, ...args];
  return run(first, rest, input === undefined ? {} : { input });
}

function explainFailure(answer) {
  const text = `${answer.stderr ?? ''}${answer.stdout ?? ''}`.trim().split('\n').slice(-8).join('\n    ');
  return answer.error ? String(answer.error) : `exit code ${answer.status}\n    ${text}`;
}

const policy = '/usr/sbin/policy-rc.d';

/** Runs `work` while Debian is forbidden to start services of packages that it installs. */
function withoutServices(prefix, work) {
  if (existsSync(policy)) return work();
  runAsRoot(prefix, 'tee', [policy], '#!/bin/sh\nexit 101\n');
  runAsRoot(prefix, 'chmod', ['755', policy]);
  const remove = () =>
    prefix.length === 0 ? rmSync(policy, { force: true }) : runAsRoot(prefix, 'rm', ['-f', policy]);
  const stop = () => {
    remove();
    process.exit(130);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return work();
  } finally {
    remove();
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
}

function install(prefix, system, missing) {
  console.log(`${system.name}: installing ${missing.join(' ')}`);
  const arguments_ = [
    'install',
    '-y',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=300',
    ...missing,
  ];
  const answer = withoutServices(prefix, () => runAsRoot(prefix, 'apt-get', arguments_));
  if (answer.status !== 0) return `apt-get failed: ${explainFailure(answer)}`;
  // Not at the next boot either: the tests start their own copy, on a port of their own.
  if (hasCommand('systemctl')) runAsRoot(prefix, 'systemctl', ['disable', system.service]);
  return null;
}

function reportProblem(system, reason) {
  const line = '!'.repeat(78);
  console.log(
    `${line}\n!!! ${system.name} is NOT available; its system tests will fail.\n!!! ${reason}\n${line}`,
  );
}

const parseServer = '9.10.0';

/** Never a dependency of the product: it stands in the folder of what tests build once per machine. */
function installParseServer() {
  const cache = process.env.SLUICE_TEST_CACHE ?? join(tmpdir(), 'sluice-test-cache');
  const folder = join(cache, `parse-server-${parseServer}`);
  const system = { name: 'parse-server' };
  if (existsSync(join(folder, 'node_modules/parse-server/package.json'))) {
    console.log('parse-server: already installed');
    return;
  }
  console.log(`parse-server: installing ${parseServer} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  // It reaches into a file of its router that later versions moved.
  const manifest = { private: true, dependencies: { 'parse-server': parseServer, router: '2.2.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const answer = run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  if (answer.status === 0) console.log('parse-server: installed');
  else {
    rmSync(folder, { recursive: true, force: true });
    reportProblem(system, `npm failed: ${explainFailure(answer)}`);
  }
}

function main() {
  installParseServer();
  const isDebian = hasCommand('apt-get') && hasCommand('dpkg-query');
  const prefix = findRootPrefix();
  let isListFresh = false;
  for (const system of systems) {
    const missing = isDebian ? system.packages.filter((name) => !isInstalled(name)) : [];
    if (isDebian ? missing.length === 0 : hasCommand(system.command)) {
      console.log(`${system.name}: already installed`);
      continue;
    }
    if (!isDebian) {
      reportProblem(system, 'This machine has no apt-get; install it by hand.');
      continue;
    }
    if (prefix === null) {
      const command = `apt-get install --no-install-recommends ${missing.join(' ')}`;
      reportProblem(system, `This user is not root and may not sudo without a password. Run: ${command}`);
      continue;
    }
    if (!isListFresh) {
      console.log('apt-get update');
      const answer = runAsRoot(prefix, 'apt-get', ['update']);
      if (answer.status !== 0) console.log(`apt-get update failed, going on: ${explainFailure(answer)}`);
      isListFresh = true;
    }
    const problem = install(prefix, system, missing);
    if (problem === null) console.log(`${system.name}: installed`);
    else reportProblem(system, problem);
  }
}

main();
