import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every step that firing an action reports; read from the sources, so that a new one is never left out. */
export function findPoints(): string[] {
  const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'actions');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/onStep\('([^']+)'\)/g)])
    .map(([, point]) => point!);
}
