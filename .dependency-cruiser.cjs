// Who may import whom. Every folder of src/ has one row; what is not listed is forbidden.
// `model` and `lib` are open to all (except `lib`, which stands on nothing, and `model`, on `lib` alone).
const may = {
  bin: [
    'app.ts',
    'database.ts',
    'config.ts',
    'chains',
    'matching',
    'watch',
    'scripts',
    'services',
    'store',
    'api',
  ],
  'app.ts': [
    'api',
    'pipeline.ts',
    'watching.ts',
    'notifying.ts',
    'database.ts',
    'config.ts',
    'scripts',
    'services',
    'store',
    'chains',
    'wallets',
    'watch',
    'notify',
    'actions',
    'scoring',
    'alerts',
  ],
  'config.ts': ['chains'],
  'database.ts': ['config.ts', 'store'],
  'pipeline.ts': ['watch', 'chains', 'matching', 'alerts', 'store', 'services'],
  'notifying.ts': ['notify', 'store', 'services', 'config.ts'],
  'watching.ts': ['pipeline.ts', 'watch', 'chains', 'matching', 'alerts', 'store', 'scripts', 'services'],
  matching: ['detectors', 'triggers'],
  api: ['services', 'store', 'query', 'chains'],
  services: ['store', 'chains', 'scripts', 'wallets', 'query', 'alerts', 'detectors', 'triggers', 'matching'],
  watch: ['chains', 'store', 'matching'],
  alerts: ['store'],
  notify: ['store', 'query'],
  scoring: ['store', 'scripts'],
  actions: ['store', 'scripts', 'chains', 'wallets'],
  wallets: ['chains', 'store'],
  scripts: [],
  chains: [],
  detectors: ['evidence'],
  triggers: ['evidence'],
  evidence: [],
  query: [],
  store: ['query'],
  model: [],
  lib: [],
};
const everyone = ['model', 'lib'];
const path = (name) => (name.endsWith('.ts') ? `^src/${name.replace('.', '\\.')}$` : `^src/${name}/`);
const allowedFor = (name) =>
  name === 'lib' ? ['lib'] : name === 'model' ? everyone : [name, ...everyone, ...may[name]];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^src' }, to: { circular: true } },
    {
      name: 'no-orphan-folder',
      comment: 'A new folder of src/ needs a row in the table above.',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(may).map(path) },
      to: {},
    },
    ...Object.keys(may).map((name) => ({
      name: `${name.replace('.ts', '')}-imports`,
      severity: 'error',
      from: { path: path(name), pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: allowedFor(name).map(path) },
    })),
    {
      name: 'sql-only-in-store',
      comment: 'Only the store speaks to PostgreSQL.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/store/', '\\.test\\.ts$'] },
      to: { path: 'node_modules/pg/' },
    },
  ],
  options: {
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
