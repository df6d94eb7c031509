import pg from 'pg';
import { splitHosts } from '../../lib/splitHosts.ts';

/** The servers and the database of an address, without user and password: `db1:5432,db2:5432/vigil`. */
export function nameDatabase(address: string): string {
  const clients = splitHosts(address).map((connectionString) => new pg.Client({ connectionString }));
  const hosts = clients.map(({ host, port }) => `${host}:${port}`);
  return `${hosts.join(',')}/${clients[0]?.database ?? ''}`;
}
