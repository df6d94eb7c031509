// `npm run vectors -- FILE`: runs each query of a JSONL file both ways and prints every disagreement.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const file = process.argv[2];
if (!file) {
  process.stderr.write(
    'Usage: npm run vectors -- FILE (lines of the form of test/vectors/query-fuzz.jsonl)\n',
  );
  process.exit(2);
}
const { status } = spawnSync('npx', ['vitest', 'run', 'test/query/vectors.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, VECTORS_FILE: resolve(file) },
});
process.exit(status ?? 1);
