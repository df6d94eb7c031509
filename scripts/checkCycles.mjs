// Part of `npm run check`: no file imports itself by way of others, types included, and each folder beside src/ imports only what its
// row allows. The folders inside src/ have their table in .dependency-cruiser.cjs, whose parser does not read the console.

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
const faults = [...forbidden(), ...cycles()];
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

/** The files of each circle, by Tarjan's algorithm for strongly connected components. */
function cycles() {
  const found = [];
  const order = new Map();
  const low = new Map();
  const stack = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) found.push(`These files import each other: ${circle.join(', ')}`);
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}
