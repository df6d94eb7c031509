import pg from 'pg';
import type { Probe } from './citus/createHangWatch.ts';
import { type Connection, destroyClient, openClient } from './openClient.ts';

/** The statement returns `isOk`. `whenRefused`: what it means that the server refuses the connection or the statement. */
type Question = { setUp?: string; text: string; values?: readonly unknown[]; whenRefused: boolean };

/** Asks a server over a connection of its own, which never waits for a place in a pool. */
export function createProbe(config: Connection, { setUp, text, values = [], whenRefused }: Question): Probe {
  let client: pg.Client | undefined;
  let opening: Promise<pg.Client> | undefined;

  async function open(): Promise<pg.Client> {
    const opened = openClient({ ...config, application_name: 'vigil probe' });
    client = opened;
    opened.on('error', () => {});
    await opened.connect();
    if (setUp !== undefined) await opened.query(setUp);
    return opened;
  }

  function rest(): void {
    const former = client;
    client = undefined;
    opening = undefined;
    if (former) destroyClient(former);
  }

  return {
    async ask() {
      opening ??= open();
      const asked = opening;
      try {
        const { rows } = await (await asked).query<{ isOk: boolean }>(text, [...values]);
        return rows[0]?.isOk === true;
      } catch (error) {
        // Unless another connection was opened since.
        if (opening === asked) rest();
        return whenRefused || isFull(error);
      }
    },
    rest,
  };
}

/** A server that has no connection left answers nevertheless. */
function isFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code ?? '').startsWith('53');
}
