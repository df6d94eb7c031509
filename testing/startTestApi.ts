import { randomBytes } from 'node:crypto';
import { BlockList } from 'node:net';
import pino from 'pino';
import { webhookMessages } from '../src/api/endpoints/destinations/webhookMessages.ts';
import { createEndpoints } from '../src/api/endpoints/endpoints.ts';
import { createAuthenticator } from '../src/api/http/createAuthenticator.ts';
import { createMetrics } from '../src/api/http/createMetrics.ts';
import { createServer } from '../src/api/http/createServer.ts';
import { getChain, setOwnChains } from '../src/chains/chains.ts';
import { type Egress, toEgress } from '../src/lib/egress.ts';

import type { Role } from '../src/model/principal.ts';
import { createNotifier } from '../src/notify/createNotifier.ts';
import { createRequestSender } from '../src/notify/createRequestSender.ts';
import { createSandbox } from '../src/scripts/sandbox.ts';
import { createFailedLogins } from '../src/services/accounts/createFailedLogins.ts';
import { issueToken } from '../src/services/accounts/issueToken.ts';
import { createAlertFeed } from '../src/services/alerts/createAlertFeed.ts';
import { createAlertLinks } from '../src/services/alerts/createAlertLinks.ts';
import type { Services } from '../src/services/call.ts';
import { createMetricRecorder } from '../src/services/telemetry/createMetricRecorder.ts';
import { findOwnChains } from '../src/store/contracts/ownChains.ts';
import type { Store } from '../src/store/db/db.ts';
import { listen } from '../src/store/db/listen.ts';
import type { Connection } from '../src/store/db/openClient.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { openKeyring } from '../src/store/records/keyring.ts';
import type { Answer, Json } from './answer.ts';
import { type CallOptions, createClient } from './createClient.ts';
import { createTestDatabase } from './createTestDatabase.ts';
import { requestSenders } from './requestSenders.ts';

export type { Answer, Json } from './answer.ts';

export type TestApi = {
  url: string;
  connection: Connection;
  store: Store;
  services: Services;
  adminToken: string;
  /** Lines of the log so far. */
  log: string[];
  /** Sends one request; as the administrator unless a token is given (null sends none). */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** The same, and fails unless the status is 2xx. */
  ok(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Json>;
  /** An access token with these roles in this tenant. */
  token(tenantId: number | null, ...roles: Role[]): Promise<string>;
  /** Writes what was counted of the requests answered so far. */
  flush(): Promise<void>;
  /** Moves the clock that the server reads. */
  advance(ms: number): void;
  stop(): Promise<void>;
};

/** A whole server on a fresh database, reached over HTTP on loopback. */
export async function startTestApi(
  options: {
    rateLimit?: { perSecond: number; burst: number };
    corsOrigins?: string[];
    trustedProxies?: BlockList;
    chains?: Services['chains'];
    fixedEndpoints?: Services['fixedEndpoints'];
    hsm?: Services['hsm'];
    abiSources?: Services['abiSources'];
    answers?: Services['fetchFor'];
    alertHooks?: Services['alertHooks'];
    notifier?: Services['notifier'];
    inviteOrigins?: readonly string[];
    mail?: boolean;
    egress?: Egress;
    consoleFolder?: URL;
    /** A migrated one; a fresh one of the run's server otherwise. */
    database?: { config: Connection; drop: () => Promise<void> };
  } = {},
): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase('migrated'));
  const store = openStore(database.config, () => {});
  const limits = { max: 4, statement_timeout: 2000, hasPageLimit: true };
  const reports = openStore({ ...database.config, ...limits }, () => {});
  let skew = 0;
  const now = () => Date.now() + skew;
  const master = randomBytes(32);
  const keyring = await openKeyring(store, () => [master], now());
  const rateLimit = options.rateLimit ?? { perSecond: 1_000_000, burst: 1_000_000 };
  const authenticate = createAuthenticator(store, now, rateLimit);
  const sandbox = createSandbox();
  const log: string[] = [];
  // No name leads anywhere, so that nothing leaves the machine.
  const nowhere = createRequestSender({
    egress: toEgress(new BlockList()),
    now,
    resolve: (_hostname, _options, callback) =>
      callback(Object.assign(new Error('Nowhere.'), { code: 'ENOTFOUND' }), []),
  });
  const silent = createNotifier(requestSenders(nowhere));
  const services: Services = {
    store,
    logins: store,
    reports,
    keyring,
    recorder: createMetricRecorder(store, now),
    now,
    invalidateTokens: authenticate.clearCache,
    mail: options.mail ?? false,
    messengerNames: { a: null, b: null },
    inviteOrigins: options.inviteOrigins ?? [],
    sessionMaxMs: 7 * 86_400_000,
    deliveryMs: 90 * 86_400_000,
    failedLogins: createFailedLogins({ store, keyring, now }),
    hsm: options.hsm,
    egress: options.egress ?? toEgress(new BlockList()),
    abiSources: options.abiSources ?? { find: async () => undefined },
    chains: options.chains ?? { isConfigured: () => false, client: () => undefined },
    fixedEndpoints: options.fixedEndpoints ?? (() => []),
    fixedChains: new Set(),
    reloadChains: async () => void setOwnChains(await findOwnChains(store)),
    alertHooks: options.alertHooks ?? [],
    notifier: options.notifier ?? silent,
    publicUrl: () => 'https://vigil.example.com',
    alertLinks: createAlertLinks(() => 'https://vigil.example.com'),
    fetchFor: options.answers ?? (() => async () => []),
    checkScript: (owner, source) => sandbox.check(owner, source),
    runScripts: (owner, values, sources) => sandbox.run(owner, values, sources),
    alertFeed: createAlertFeed({
      db: store,
      listen: (onMessage) => listen(database.config, 'vigil_alert', onMessage),
      onError: (error) => log.push(String(error)),
    }),
  };
  const server = await createServer({
    services,
    authenticate,
    endpoints: createEndpoints((uid) => getChain(uid).confirmations),
    webhooks: webhookMessages,
    metrics: createMetrics(() => store.stats()),
    log: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
    version: 'test',
    rateLimit,
    corsOrigins: options.corsOrigins ?? [],
    ...(options.consoleFolder ? { consoleFolder: options.consoleFolder } : {}),
    ...(options.trustedProxies ? { trustedProxies: options.trustedProxies } : {}),
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

  async function token(tenantId: number | null, ...roles: Role[]): Promise<string> {
    const kind = tenantId === null ? 'ADMIN' : 'API_KEY';
    const made = { kind, tenantId, userId: null, label: null, roles, expiredAt: null } as const;
    return (await issueToken(store, made, now())).token;
  }

  const adminToken = await token(null, 'admin');

  const client = createClient(url, adminToken);

  return {
    url,
    connection: database.config,
    store,
    services,
    adminToken,
    log,
    token,
    call: client.call,
    ok: client.ok,
    advance: (ms) => {
      skew += ms;
    },
    flush: async () => {
      // A request is counted just after its answer is sent.
      await new Promise((resolve) => setImmediate(resolve));
      await services.recorder.flush();
      await services.failedLogins.flush();
    },
    stop: async () => {
      await server.close();
      // Chains that were added belong to this database, and the next test of the process has another.
      setOwnChains([]);
      await silent.close();
      await sandbox.close();
      await services.recorder.flush();
      await Promise.all([store.close(), reports.close()]);
      await database.drop();
    },
  };
}
