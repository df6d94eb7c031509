// Part of `npm run check`: no file and no folder imports itself by way of others, types included, each folder beside src/ imports only what its row
// allows, and the rooms of the store know few of each other. The folders inside src/ have their table in .dependency-cruiser.cjs, whose parser does not
// read the console.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const may = {
  src: [],
  sdk: [],
  web: ['sdk', 'src'],
  testing: ['src', 'sdk'],
  bench: ['src', 'testing'],
  demo: ['src', 'testing', 'sdk'],
  test: ['src', 'testing', 'bench', 'demo', 'sdk', 'web', 'scripts', 'examples'],
};
/** Pairs of folders of which one imports the other. */
const mostImportsAmong = { 'src/store': 45 };
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const listed = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', ...Object.keys(may)],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
const files = new Set(listed.split('\n').filter((file) => /\.tsx?$/.test(file)));
const imports = new Map([...files].map((file) => [file, importsOf(file)]));
const faults = [
  ...forbidden(),
  ...cyclesOf(imports, 'files'),
  ...folders().flatMap(([name, edges]) => [
    ...cyclesOf(edges, `folders of ${name}/`),
    ...tooMany(name, edges),
  ]),
];
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exit(faults.length > 0 ? 1 : 0);

function importsOf(file) {
  let text;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    return [];
  }
  const written = /(?:^(?:import|export|\})[^'"\n]*?|\bimport\()['"](\.[^'"\n]+)['"]/gm;
  const paths = [...text.matchAll(written)].map(([, path]) => path);
  return paths.map((path) => normalize(join(dirname(file), path))).filter((path) => files.has(path));
}

function forbidden() {
  return [...imports].flatMap(([file, targets]) => {
    const folder = file.startsWith('src/') && file.endsWith('.test.ts') ? 'test' : file.split('/')[0];
    return targets
      .filter((target) => ![folder, ...may[folder]].includes(target.split('/')[0]))
      .map(
        (target) =>
          `${file} imports ${target}: ${folder}/ may only import ${may[folder].join(', ') || 'itself'}`,
      );
  });
}

/** The imports among the folders that lie side by side in one folder, for each that has some. Tests import what they like. */
function folders() {
  const levels = new Map();
  for (const [file, targets] of imports) {
    if (file.endsWith('.test.ts') || file.startsWith('test/')) continue;
    for (const target of targets) {
      const [from, to] = [dirname(file).split('/'), dirname(target).split('/')];
      const depth = from.findIndex((name, index) => name !== to[index]);
      // One of both lies in a folder of the other.
      if (depth < 1 || to[depth] === undefined) continue;
      const level = from.slice(0, depth).join('/');
      const edges = levels.get(level) ?? new Map();
      levels.set(level, edges);
      edges.set(from[depth], (edges.get(from[depth]) ?? new Set()).add(to[depth]));
    }
  }
  return [...levels];
}

function tooMany(name, edges) {
  const count = [...edges.values()].reduce((sum, targets) => sum + targets.size, 0);
  return count > (mostImportsAmong[name] ?? Infinity)
    ? [
        `the folders of ${name}/ import each other in ${count} pairs; at most ${mostImportsAmong[name]} stay readable`,
      ]
    : [];
}

/** The members of each circle, by Tarjan's algorithm for strongly connected components. */
function cyclesOf(edges, what) {
  const found = [];
  const order = new Map();
  const low = new Map();
  const stack = [];
  const visit = (item) => {
    order.set(item, order.size);
    low.set(item, order.get(item));
    stack.push(item);
    for (const target of edges.get(item) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(item, Math.min(low.get(item), low.get(target)));
    }
    if (low.get(item) !== order.get(item)) return;
    const circle = stack.splice(stack.indexOf(item));
    if (circle.length > 1) found.push(`These ${what} import each other: ${circle.join(', ')}`);
  };
  for (const item of edges.keys()) if (!order.has(item)) visit(item);
  return found;
}
