import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every step that firing an action reports; read from the sources, so that a new one is never left out. */
export const findPoints = (): string[] => pointsIn('actions');

/** The same of pending transactions. */
export const findPendingPoints = (): string[] => pointsIn('watch');

function pointsIn(...place: string[]): string[] {
  const folder = join(import.meta.dirname, '..', '..', '..', 'src', ...place);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/onStep\('([^']+)'\)/g)])
    .map(([, point]) => point!);
}
