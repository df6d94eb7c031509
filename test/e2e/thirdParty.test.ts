import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
/** What the build contains, such as `preact@11.2.0`. */
const bundled = (): Record<'command' | 'console', string[]> => JSON.parse(read('dist', 'bundled.json'));
const heading = (name: string) => new RegExp(`^${name.replaceAll(/[/@.]/g, '\\$&')} \\d`, 'm');

describe('the notices of third parties', () => {
  it('the notices of third parties beside the console have the licence of every package that its files contain', () => {
    const notices = read('dist', 'web', 'THIRD-PARTY-NOTICES.txt');
    const parts = notices.split(/^-{80}$/m);
    expect(parts).toHaveLength(bundled().console.length);
    for (const part of parts) expect(part).toMatch(/Permission is hereby granted|Apache License|ISC/);
    for (const part of parts) expect(part).toMatch(/copyright/i);
    for (const name of importedPackages()) expect(notices, name).toMatch(heading(name));
    expect(importedPackages()).toContain('uplot');
  });

  it('the notices of third parties beside the program have every package that runs', () => {
    const notices = read('dist', 'THIRD-PARTY-NOTICES.txt');
    const lock: { packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }> } =
      JSON.parse(read('package-lock.json'));
    const runtime = Object.entries(lock.packages).flatMap(([path, { dev, devOptional, link }]) =>
      path && !dev && !devOptional && !link && existsSync(join(root, path))
        ? [path.split('node_modules/').at(-1)!]
        : [],
    );
    expect(runtime).toEqual(expect.arrayContaining(['pino', 'koffi', 'acorn']));
    expect(bundled().command.length).toBeGreaterThan(50);
    runtime.push(...bundled().command.map((each) => each.slice(0, each.lastIndexOf('@'))));
    expect(runtime).toContain('fastify');
    expect(runtime.filter((name) => !heading(name).test(notices))).toEqual([]);
  });
});

describe('the bill of materials', () => {
  type Component = {
    'bom-ref': string;
    name: string;
    version: string;
    purl: string;
    licenses?: unknown[];
    hashes?: unknown[];
  };
  let bill: {
    bomFormat: string;
    specVersion: string;
    serialNumber: string;
    metadata: { component: Component & { type: string } };
    components: Component[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/sbom.mjs'], {
      cwd: root,
      maxBuffer: 2 ** 28,
    });
    bill = JSON.parse(stdout);
  });

  it('is CycloneDX, of this product and version', () => {
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.[5-9]$/) });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    const { version } = JSON.parse(read('package.json'));
    expect(bill.metadata.component).toMatchObject({ name: 'vigil', version, type: 'application' });
  });

  it('has every package that runs or that the build contains, each once and no tool of development', () => {
    const names = bill.components.map(({ name, version }) => `${name}@${version}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(Object.values(bundled()).flat()));
    const lock: {
      packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean; version: string }>;
    } = JSON.parse(read('package-lock.json'));
    const runtime = Object.entries(lock.packages).flatMap(([path, { dev, devOptional, link, version }]) =>
      path && !dev && !devOptional && !link ? [`${path.split('node_modules/').at(-1)!}@${version}`] : [],
    );
    expect(runtime.filter((name) => !names.includes(name))).toEqual([]);
    for (const tool of ['vite', 'vitest', 'typescript', 'playwright', 'knip'])
      expect(bill.components.map(({ name }) => name)).not.toContain(tool);
  });

  it('names an address for each package, and only packages that it has as their dependencies', () => {
    for (const { name, version, purl } of bill.components)
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    const refs = new Set([
      bill.metadata.component['bom-ref'],
      ...bill.components.map((each) => each['bom-ref']),
    ]);
    const unknown = bill.dependencies
      .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref));
    expect(unknown).toEqual([]);
    const unlicensed = bill.components.filter(({ licenses = [] }) => licenses.length === 0);
    // Its package states none.
    expect(unlicensed.map(({ name }) => name)).toEqual(['@stellar/stellar-xdr-json']);
  });
});

/** What the sources of the console import by name, except types. */
function importedPackages(): string[] {
  const files = readdirSync(join(root, 'web', 'src'), { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .flatMap((file) =>
      Array.from(
        read('web', 'src', file).matchAll(/^import (?!type )[^;]*? from '((?:@[\w-]+\/)?[\w-]+)[^']*';/gms),
        ([, name]) => name!,
      ),
    );
  return [...new Set(names)];
}
