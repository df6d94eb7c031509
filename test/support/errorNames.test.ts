import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const declared = /class (\w+) extends (\w+)[^{]*\{(\}|[\s\S]*?\n\})/g;

// Logs show the name of an error, and readers look for the class that is called so.
it('gives every error class its own name', () => {
  const classes = ['src', 'sdk/src']
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true }).map((path) => `${folder}/${String(path)}`),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) =>
      Array.from(readFileSync(`${root}${path}`, 'utf8').matchAll(declared), (match) => ({
        path,
        name: match[1] ?? '',
        parent: match[2] ?? '',
        body: match[3] ?? '',
      })),
    );
  const errors = new Set(['Error', 'RangeError', 'TypeError']);
  for (let size = 0; size !== errors.size; ) {
    size = errors.size;
    for (const { name, parent } of classes) if (errors.has(parent)) errors.add(name);
  }
  const found = classes.filter(({ name }) => errors.has(name));
  expect(found.length).toBeGreaterThan(30);
  const misnamed = found.filter(({ name, body }) => !new RegExp(`\\bname(: string)? = '${name}'`).test(body));
  expect(misnamed.map(({ path, name }) => `${name} in ${path}`)).toEqual([]);
});
