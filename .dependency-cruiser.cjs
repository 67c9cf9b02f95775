// Who may import whom (house style, section 2). `npm run check` also demands a minimum of modules, so that a
// configuration that cruises nothing cannot pass.
const only = (from, allowed) => ({
  name: `${from.replace(/\W+/g, '-')}-imports-only`,
  severity: 'error',
  from: { path: `^${from}/`, pathNot: '\\.test\\.tsx?$|test-support' },
  to: {
    path: '^(contract|mapping|adapters|server|web|sandbox|testing|e2e|bench)/',
    pathNot: [`^${from}/`, ...allowed.map((name) => `^${name}/`)],
  },
});

module.exports = {
  forbidden: [
    only('contract', []),
    only('mapping', ['contract']),
    only('adapters/kit', ['contract']),
    only('adapters/odata', ['contract', 'mapping', 'adapters/kit']),
    only('adapters/tryton', ['contract', 'mapping', 'adapters/kit']),
    only('adapters/sql', ['contract', 'mapping', 'adapters/kit']),
    only('adapters/files', ['contract', 'mapping', 'adapters/kit']),
    only('adapters/rest', ['contract', 'mapping', 'adapters/kit']),
    only('server', ['contract', 'mapping', 'adapters']),
    only('web', ['contract', 'mapping']),
    only('sandbox', []),
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: '^contract/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/zod/' },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: '^server/src/platform/' },
      to: { path: '^server/src/features/' },
    },
    {
      name: 'routes-use-services',
      severity: 'error',
      from: { path: '^server/src/features/.+/routes\\.ts$' },
      to: { path: '^server/src/features/.+/store\\.ts$' },
    },
    {
      name: 'web-features-never-meet',
      severity: 'error',
      from: { path: '^web/src/features/([^/]+)/' },
      to: { path: '^web/src/features/', pathNot: '^web/src/features/$1/' },
    },
    {
      name: 'grid-knows-no-feature',
      severity: 'error',
      from: { path: '^web/src/grid/' },
      to: { path: '^web/src/(features|app|platform)/' },
    },
    {
      name: 'only-tests-import-testing',
      severity: 'error',
      from: {
        path: '^(contract|mapping|adapters|server|web|sandbox)/',
        pathNot: '\\.test\\.tsx?$|test-support|conformance',
      },
      to: { path: '^testing/' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules/(?!@sluice))' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
};
