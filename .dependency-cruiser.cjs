// Who may import whom. Every folder of src/ has one row; what is not listed is forbidden.
// `model` and `lib` are open to all (except `lib`, which stands on nothing, and `model`, on `lib` alone).
const may = {
  bin: ['runtime', 'chains', 'matching', 'watch', 'scripts', 'services', 'store', 'api'],
  runtime: [
    'api',
    'scripts',
    'services',
    'store',
    'chains',
    'matching',
    'wallets',
    'watch',
    'notify',
    'actions',
    'scoring',
    'rates',
    'alerts',
    'destinations',
  ],
  matching: ['detectors', 'triggers', 'evidence', 'scripts', 'codecs'],
  api: ['services', 'store', 'query', 'chains', 'destinations'],
  'api/http': ['services', 'store', 'query', 'chains'],
  services: [
    'store',
    'chains',
    'codecs',
    'evidence',
    'scripts',
    'wallets',
    'query',
    'alerts',
    'detectors',
    'triggers',
    'matching',
    'notify',
    'actions',
    'scoring',
    'destinations',
  ],
  watch: ['chains', 'codecs', 'store', 'matching', 'alerts'],
  alerts: ['store'],
  notify: ['store', 'query', 'destinations'],
  // Pure: what is known of each kind of destination, and the messages that it gets.
  destinations: [],
  scoring: ['store', 'scripts', 'chains'],
  rates: ['store', 'matching', 'alerts', 'chains', 'detectors', 'query'],
  actions: ['store', 'scripts', 'chains', 'wallets'],
  wallets: ['chains', 'store'],
  scripts: [],
  chains: ['codecs'],
  // Pure: names and values of every family and back. Nothing in it connects to a node.
  codecs: [],
  evidence: ['codecs'],
  detectors: ['evidence', 'codecs'],
  triggers: ['evidence', 'codecs'],
  query: [],
  store: ['query', 'destinations'],
  // The layers of the store, lowest first; the domains stand on all of them.
  'store/db/citus': [],
  'store/db': ['store/db/citus'],
  'store/db/shards': ['store/db', 'store/db/citus'],
  'store/tables': ['store/db', 'query', 'destinations'],
  'store/records': ['store/db', 'store/tables', 'query'],
  'store/search': ['store/db', 'store/tables', 'store/records', 'query'],
  model: [],
  lib: [],
};
const everyone = ['model', 'lib'];
const path = (name) => `^src/${name}/`;
/** A folder inside another one may have a stricter row of its own. */
const inner = (name) => Object.keys(may).filter((other) => other.startsWith(`${name}/`));
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
      name: `${name.replace('/', '-')}-imports`,
      severity: 'error',
      from: { path: path(name), pathNot: ['\\.test\\.ts$', ...inner(name).map(path)] },
      to: { path: '^src/', pathNot: allowedFor(name).map(path) },
    })),
    {
      name: 'runtime-only-starts',
      comment: 'A process starts and opens what watches chains; how it works is not its business.',
      severity: 'error',
      from: { path: '^src/runtime/' },
      to: { path: '^src/watch/', pathNot: '/(start|open)[A-Z][^/]*$' },
    },
    {
      name: 'sql-only-in-store',
      comment: 'Only the store speaks to PostgreSQL.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/store/', '\\.test\\.ts$'] },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'sql-text-only-in-store-and-query',
      comment: 'Services call the store; only the store and the query compilers write SQL.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(store|query|lib)/', '\\.test\\.ts$'] },
      to: { path: '^src/lib/sql\\.ts$' },
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
