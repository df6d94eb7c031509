import pino from 'pino';
import type { ActionContext } from '../../../src/actions/actionContext.ts';
import { type ChainUid, getChain, withNetwork } from '../../../src/chains/chains.ts';
import { families } from '../../../src/chains/families.ts';
import { deriveAuditKey } from '../../../src/lib/auditKey.ts';
import { sql } from '../../../src/lib/sql.ts';
import type { Keyring } from '../../../src/model/keyring.ts';
import { startActions } from '../../../src/runtime/startActions.ts';
import { createSandbox } from '../../../src/scripts/sandbox.ts';
import { listen } from '../../../src/store/db/listen.ts';
import type { Connection } from '../../../src/store/db/openClient.ts';
import { openStore } from '../../../src/store/db/openStore.ts';

/** What one process needs to know to fire the actions of a test. */
export type ActorSetup = {
  connection: Connection;
  chainUid: ChainUid;
  urls: readonly string[];
  network?: string;
  confirmations: number;
  /** Of every wallet there is, for processes to which the API does not lend its keyring. */
  privateKey: string;
  stuckMs: number;
  /** How far its clock is behind. */
  behindMs?: number;
};

export type Actor = { stop(): Promise<void> };

/** Fires actions beside the API, with a pool, a sandbox and a client of its own, which are warm when it starts. */
export async function openActor(setup: ActorSetup, keyring = openKeyring(setup.privateKey)) {
  const { chainUid, urls, confirmations, stuckMs, behindMs = 0 } = setup;
  const now = () => Date.now() - behindMs;
  const store = openStore({ ...setup.connection, max: 6 }, () => {});
  const chain = withNetwork(getChain(chainUid), setup.network);
  const client = families[chain.family].nodes?.createClient({ chain, urls, now, onCall: () => {} });
  const sandbox = createSandbox();
  await Promise.all([store.query(sql`select 1`), sandbox.run(0, {}, ['1'])]);
  return {
    start(options: Partial<Pick<ActionContext, 'onStep' | 'now'>> = {}): Actor {
      const acting = startActions({
        store,
        keyring,
        hsm: undefined,
        runScripts: sandbox.run,
        chains: { isConfigured: (uid) => uid === chainUid, client: (uid) => known(uid) },
        confirmations: () => confirmations,
        alertHooks: [],
        listen: (onMessage) => listen(setup.connection, 'vigil_action', onMessage),
        log: pino({ level: 'silent' }),
        now,
        stuckMs,
        ...options,
      });
      return {
        async stop() {
          await acting.stop();
          await Promise.all([client?.close(), sandbox.close(), store.close()]);
        },
      };
    },
  };

  function known(uid: ChainUid) {
    return uid === chainUid ? client : undefined;
  }
}

function openKeyring(privateKey: string): Keyring {
  const digits = privateKey.slice(2);
  return {
    seal: () => {
      throw new Error('An actor seals nothing.');
    },
    unseal: async () => digits,
    unsealBytes: async () => Buffer.from(digits),
    audit: { newest: () => deriveAuditKey(1, Buffer.alloc(32)), find: async () => undefined },
  };
}
