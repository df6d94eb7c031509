import { openSync } from 'node:fs';
import { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createEndpoints } from '../../src/api/endpoints/endpoints.ts';
import { createAuthenticator } from '../../src/api/http/createAuthenticator.ts';
import { createMetrics } from '../../src/api/http/createMetrics.ts';
import { createServer } from '../../src/api/http/createServer.ts';
import { getChain } from '../../src/chains/chains.ts';
import { toEgress } from '../../src/lib/egress.ts';

import { createNotifier } from '../../src/notify/createNotifier.ts';
import { createLog } from '../../src/runtime/createLog.ts';
import { createFailedLogins } from '../../src/services/accounts/createFailedLogins.ts';
import { createAlertFeed } from '../../src/services/alerts/createAlertFeed.ts';
import { createAlertLinks } from '../../src/services/alerts/createAlertLinks.ts';
import { createMetricRecorder } from '../../src/services/telemetry/createMetricRecorder.ts';
import type { Db, Store } from '../../src/store/db/db.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';

/** The same in every run, because a database may be kept from one to the next. */
const masterKey = Buffer.alloc(32, 'bench');

/**
 * The server as `vigil serve` builds it, with its log written to nowhere and a rate limit out of reach.
 * Tokens are looked up in `tokens`, so that the look-up does not get into the recording of a request.
 */
export async function createVigil(store: Store, tokens: Db): Promise<FastifyInstance> {
  const authenticate = createAuthenticator(tokens, Date.now, { perSecond: 1_000_000, burst: 1_000_000 });
  const keyring = await openKeyring(store, () => [masterKey], Date.now());
  return createServer({
    services: {
      store,
      logins: store,
      reports: store,
      deliveryMs: 90 * 86_400_000,
      keyring,
      recorder: createMetricRecorder(store, Date.now),
      now: Date.now,
      invalidateTokens: authenticate.clearCache,
      mail: false,
      messengerNames: { a: null, b: null },
      inviteOrigins: [],
      sessionMaxMs: 86_400_000,
      failedLogins: createFailedLogins({ store, keyring, now: Date.now }),
      hsm: undefined,
      egress: toEgress(new BlockList()),
      abiSources: { find: async () => undefined },
      chains: { isConfigured: () => false, client: () => undefined },
      fixedEndpoints: () => [],
      fixedChains: new Set(),
      reloadChains: async () => {},
      fetchFor: () => async () => [],
      checkScript: async () => undefined,
      runScripts: async () => [],
      alertFeed: createAlertFeed({ db: store, listen: () => async () => {}, onError: () => {} }),
      alertHooks: [],
      notifier: createNotifier({}),
      publicUrl: () => '',
      alertLinks: createAlertLinks(() => ''),
    },
    authenticate,
    endpoints: createEndpoints((uid) => getChain(uid).confirmations),
    metrics: createMetrics(store.stats),
    log: createLog({ logLevel: 'info' }, openSync('/dev/null', 'w')),
    version: 'bench',
    rateLimit: { perSecond: 1_000_000, burst: 10_000_000 },
    corsOrigins: [],
  });
}
