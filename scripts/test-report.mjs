// Runs test programs and adds up what they counted, so that one line says how many tests passed and failed.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { run } from './lib.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-tests-'));
const total = { passed: 0, failed: 0, skipped: 0 };
/**
 * What failed, said again at the end: the output of a whole run is long. A browser test that passed at its second try
 * is told too: it has a defect, of its own or of the product's.
 */
const failures = [];

function read(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Why a test failed, short enough to stand next to its name, without the colours of a terminal. */
const why = (message = '', at = '') => {
  const lines = stripVTControlCharacters(message).split('\n');
  const told = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('at '));
  const place = at || /[\w.-]+\.test\.ts:\d+/.exec(message)?.[0];
  return `\n    ${place ? `${place}: ` : ''}${told.join(' | ').slice(0, 600)}`;
};

/** What the page showed when a browser test failed, as Playwright wrote it down: the place alone seldom tells why. */
const shown = (attachments = []) => {
  const file = attachments.find(({ name }) => name === 'error-context')?.path;
  const snapshot = file && fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const lines = (/```yaml\n([\s\S]*?)```/.exec(snapshot)?.[1] ?? '').split('\n');
  const told = lines.map((line) =>
    line
      .trim()
      .replace(/^- /, '')
      .replace(/ \[ref=\w+\]/g, ''),
  );
  return told.length > 1 ? `\n    the page: ${told.join(' | ').slice(0, 1500)}` : '';
};

/** A run that fails without naming a failed test (it crashed, or found none) counts as one failure. */
function add(name, isFine, counts) {
  const { passed = 0, failed = 0, skipped = 0 } = counts ?? {};
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  if ((!isFine && failed === 0) || (isFine && passed === 0)) {
    failures.push(`FAILED ${name}: ${isFine ? 'ran no test' : 'failed outside a test'}`);
    total.failed += 1;
  }
}

export function vitest(projects, extra = []) {
  const file = path.join(folder, `${projects.join('-')}.json`);
  const isFine = run('vitest', [
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...extra,
  ]);
  const report = read(file);
  for (const { name, assertionResults } of report?.testResults ?? [])
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed')
        failures.push(`FAILED ${path.relative('.', name)}: ${fullName}${why(failureMessages[0])}`);
  add(
    `vitest ${projects.join(', ')}`,
    isFine,
    report && {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests,
    },
  );
}

export function playwright(project, extra = []) {
  const file = path.join(folder, `playwright-${project}.json`);
  const isFine = run(
    'playwright',
    ['test', '--config', 'e2e/playwright.config.ts', '--project', project, '--reporter=list,json', ...extra],
    {
      env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
    },
  );
  const report = read(file);
  const stats = report?.stats;
  for (const spec of (report?.suites ?? []).flatMap(specsOf)) {
    const test = spec.tests.find(({ status }) => status === 'unexpected' || status === 'flaky');
    if (!test) continue;
    // Of the tries the first one that failed: the second started on a product of its own.
    const { error, errorLocation, attachments } =
      test.results.find(({ status }) => status !== 'passed') ?? {};
    const at = errorLocation ? `line ${errorLocation.line}` : '';
    failures.push(
      `${test.status === 'flaky' ? 'FLAKY, passed at the second try:' : 'FAILED'} e2e/${spec.file}:${spec.line}: ${spec.title}${why(error?.message, at)}${shown(attachments)}`,
    );
  }
  add(
    `playwright ${project}`,
    isFine,
    stats && { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped },
  );
}

const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];

/** Prints what failed and the closing line and ends the process. */
export function finish() {
  fs.rmSync(folder, { recursive: true, force: true });
  for (const failure of failures) console.error(failure);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  if (process.env.SLUICE_TEST_COUNTS)
    fs.appendFileSync(process.env.SLUICE_TEST_COUNTS, `${JSON.stringify({ ...total, failures })}\n`);
  process.exit(total.failed === 0 ? 0 : 1);
}
