import { nearest } from '../../lib/nearest.ts';
import type { EnvReader } from './createEnvReader.ts';

/** Names by which other programs find their PostgreSQL. */
const foreignAddress =
  /^(PG|POSTGRES|POSTGRESQL|DB|DATABASE)_?(DATABASE_|DB_|CONNECTION_)?(URL|URI|DSN|STRING)$/;

/** A typo in a variable's name would otherwise leave a chain unwatched, or start an empty database, without a warning. */
export function refuseMisspelt(env: NodeJS.ProcessEnv, read: EnvReader, chainUids: readonly string[]): void {
  const names = read.names();
  const databases = [...names].filter((name) => name.startsWith('DATABASE_'));
  for (const [name, value] of Object.entries(env)) {
    if (names.has(name)) continue;
    if (name.startsWith('VIGIL_')) refuseUnknown(name, names, read, chainUids);
    else if (!value?.trim()) continue;
    else if (foreignAddress.test(name)) {
      if (read.text('DATABASE_URL') === undefined)
        read.fault(`${name} is not read by Vigil; put the address of its PostgreSQL into DATABASE_URL.`);
    } else {
      const guess = nearest(name, databases, 2);
      if (guess) read.fault(`${name} is not a setting of Vigil; did you mean ${guess}?`);
    }
  }
}

function refuseUnknown(
  name: string,
  names: ReadonlySet<string>,
  read: EnvReader,
  chainUids: readonly string[],
): void {
  const guess = nearest(name, names);
  if (guess) read.fault(`${name} is not a setting of Vigil; did you mean ${guess}?`);
  else if (/^VIGIL_(RPC|CHAIN)_/.test(name))
    read.fault(
      `${name} names no chain; the chains are ${chainUids.join(', ')}. VIGIL_CHAINS adds others; endpoints of those that were added by ` +
        'POST /chain are added there too.',
    );
}
