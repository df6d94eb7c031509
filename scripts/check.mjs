// `npm run check`: all `check:…` of package.json side by side, in their order (the longest first), with the time of each and the
// words of those that fail.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` };
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const waiting = Object.entries(scripts)
  .filter(([name]) => name.startsWith('check:'))
  .values();
let failed = 0;
await Promise.all(
  Array.from({ length: Math.max(2, availableParallelism()) }, async () => {
    for (const [name, command] of waiting) await run(name, command);
  }),
);
process.exitCode = failed === 0 ? 0 : 1;

async function run(name, command) {
  const startedAt = performance.now();
  const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const pieces = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (code === 0) return console.log(`✔ ${name} (${seconds} s)`);
  failed += 1;
  console.log(`✘ ${name} (${seconds} s)\n${Buffer.concat(pieces).toString()}`);
}
