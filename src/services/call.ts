import type { AlertHook } from '../alerts/raiseAlerts.ts';
import type { ChainClient } from '../chains/chainClient.ts';
import type { ChainUid } from '../chains/chains.ts';
import type { Egress } from '../lib/egress.ts';

import type { Fetch } from '../matching/createReadCache.ts';
import type { Keyring } from '../model/keyring.ts';
import type { MetricRecorder } from '../model/metrics.ts';
import type {
  AlertLinks,
  Message,
  MessengerNames,
  Rendered,
  SendOutcome,
  Target,
} from '../model/notification.ts';
import type { Principal, Scope } from '../model/principal.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Db, Store } from '../store/db/db.ts';
import type { Replicas } from '../store/db/openReplicas.ts';
import type { Hsm } from '../wallets/pkcs11/openHsm.ts';
import type { FailedLogins } from './accounts/createFailedLogins.ts';
import type { AlertFeed } from './alerts/createAlertFeed.ts';
import type { ChainAccess } from './contracts/chainAccess.ts';
import type { AbiSources } from './contracts/createAbiSources.ts';
import type { Lookups } from './lookups.ts';

/** Dependencies of every service; built once. */
export type Services = {
  store: Store;
  /** For tokens and sessions: connections of their own, so that users log in whatever else goes on. */
  logins: Store;
  /** For searches and reports: a few connections of their own, with a short time limit. */
  reports: Store;
  /** Servers for searches and reports that only read. */
  replicas?: Replicas | undefined;
  keyring: Keyring;
  /** Metrics of Vigil itself. */
  recorder: MetricRecorder;
  now: () => number;
  /** Clears the cache of tokens, so that a change of rights applies from the next request on. */
  invalidateTokens: () => void;
  mail: boolean;
  /** The operator's names of the two messengers, where set. */
  messengerNames: MessengerNames;
  /** Maximum age of a session, however often it is refreshed. */
  sessionMaxMs: number;
  /** Time for which settled deliveries are kept. */
  deliveryMs: number;
  /** Permitted origins of links in invites. */
  inviteOrigins: readonly string[];
  failedLogins: FailedLogins;
  /** The PKCS#11 module, where one is configured. */
  hsm: Hsm | undefined;
  egress: Egress;
  chains: ChainAccess;
  /** The endpoints that the environment sets for a chain. */
  fixedEndpoints: (uid: ChainUid) => readonly string[];
  /** The chains that the environment adds, which are changed only there. */
  fixedChains: ReadonlySet<string>;
  /** Reads the operator's own chains again once the transaction of the request is committed. */
  reloadChains: () => Promise<void>;
  /** Servers that know the ABIs of verified contracts. */
  abiSources: Pick<AbiSources, 'find'>;
  /** Events of alerts as they happen. */
  alertFeed: AlertFeed;
  /** Checks a script before it is ever run. */
  checkScript: Sandbox['check'];
  runScripts: Sandbox['run'];
  /** Writers of rows that accompany new alerts. */
  alertHooks: readonly AlertHook[];
  notifier: {
    send(target: Target, messages: readonly Message[], signal: AbortSignal): Promise<SendOutcome>;
    render(target: Target, messages: readonly Message[]): Rendered | undefined;
    /** False where the operator has not set up what destinations of this type need. */
    has(type: Target['type']): boolean;
  };
  /** Address of this server for people; links in mails begin with it. */
  publicUrl: () => string;
  alertLinks: AlertLinks;
  /** Answers what a detector asks, as it is answered while watching. */
  fetchFor: (uid: ChainUid, client: ChainClient) => Fetch;
};

/** Something that the audit log keeps although no record was changed, such as a failed login. */
export type SecurityEvent = {
  /** For example `session.refuse`. */
  action: string;
  /** Tenant of the audit chain, if known. */
  tenantId: number | null;
  userId: number | null;
  /** Further facts; never a secret. */
  details: Record<string, unknown>;
};

/** One request on its way: who asks, what it may touch, and the transaction in which all of it happens. */
export type Call = {
  services: Services;
  db: Db;
  principal: Principal;
  /** Records that the endpoint's role lets the caller touch. */
  scope: Scope;
  /** Records that the caller may at least see, which distinguishes a forbidden record from a hidden one. */
  visible: Scope;
  /** Address that the request came from. */
  address: string;
  requestId: string;
  now: number;
  /** Written into the audit log when the request ends, also when it was refused. */
  securityEvents: SecurityEvent[];
  /** Warnings about a request that is carried out nevertheless; they become the header `Warning`. */
  warnings: string[];
  /** Reads of nodes that the records of a batch share. */
  lookups?: Lookups;
  /** Collects the tenants whose records the request changes, where someone asks for them. */
  touched?: Set<number>;
};
