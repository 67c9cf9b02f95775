// The project's own rules, and the references of its documents. Each finding names file, line and rule.
import fs from 'node:fs';
import path from 'node:path';
import { readText, root, sourceFiles } from './lib.mjs';

const findings = [];
const files = sourceFiles();
const isTest = (file) => /\.(test|spec)\.tsx?$/.test(file);

function each(file, pattern, rule) {
  readText(file)
    .split('\n')
    .forEach((line, index) => {
      if (pattern.test(line)) findings.push(`${file}:${index + 1}: ${rule}`);
    });
}

for (const file of files.filter((name) => /\.(ts|tsx)$/.test(name))) {
  if (isTest(file)) {
    each(file, /\bvi\.(mock|spyOn|stubGlobal)\(/, 'nothing is mocked: use the real part');
    each(file, /\b(it|test|describe)\.(only|todo)\(/, 'no test runs alone or waits to be written');
  }
  each(file, /oxlint-disable(?!.*-- .{12,})/, 'a suppression carries its reason on the same line (`-- why`)');
  each(file, /@ts-(ignore|nocheck)/, 'types are not switched off');
  if (file.startsWith('web/src/') && !isTest(file)) {
    each(
      file,
      /\brandomUUID\b(?!`)/,
      'ids come from platform/ids.ts: pages without https have no randomUUID',
    );
    if (!file.endsWith('/clipboard.ts'))
      each(file, /clipboard\.writeText/, 'texts are copied by ui/clipboard.ts: also without https');
  }
  if (file.startsWith('server/src/features/') && !isTest(file)) {
    // Transactions are opened by mutate (a person's write, with right and audit) and record (a worker's bookkeeping).
    const mayOpen = ['server/src/features/cache/table.ts', 'server/src/features/cache/pages.ts'];
    if (!mayOpen.includes(file))
      each(file, /\btransaction\(/, 'writes go through mutate (or record, for workers)');
    if (!file.endsWith('/routes.ts')) each(file, /\brouter\.handle\(/, 'calls are bound in routes.ts');
  }
}

// Documents: every path and npm script that they name exists.
const scripts = Object.keys(JSON.parse(readText('package.json')).scripts);
for (const file of files.filter((name) => name.endsWith('.md'))) {
  readText(file)
    .split('\n')
    .forEach((line, index) => {
      for (const [, target] of line.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const resolved = path.join(root, path.dirname(file), target);
        if (!fs.existsSync(resolved))
          findings.push(`${file}:${index + 1}: links to ${target}, which does not exist`);
      }
      for (const [, script] of line.matchAll(/`npm run ([\w:-]+)/g)) {
        if (!scripts.includes(script))
          findings.push(`${file}:${index + 1}: names npm run ${script}, which does not exist`);
      }
      for (const [, named] of line.matchAll(
        /`((?:contract|mapping|adapters|server|web|sandbox|testing|e2e|bench|docs|scripts)\/[\w./-]*\w)`/g,
      )) {
        if (!fs.existsSync(path.join(root, named)))
          findings.push(`${file}:${index + 1}: names ${named}, which does not exist`);
      }
    });
}

for (const finding of findings) console.error(finding);
console.log(
  `Project rules and document references: ${findings.length === 0 ? 'fine' : `${findings.length} findings`}`,
);
process.exit(findings.length === 0 ? 0 : 1);
