import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import {
  type Chain,
  type ChainUid,
  chains,
  getChain,
  isSeedUid,
  seedChainUids,
} from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import type { MessengerNames } from '../../model/notification.ts';
import { pendingModes } from '../../model/pending.ts';
import { traceModes, traceSetting } from '../../model/traceState.ts';
import { deliveryDays } from '../../store/destinations/purgeDeliveries.ts';
import { createEnvReader, type EnvReader } from './createEnvReader.ts';
import {
  readAbiSources,
  readCorsOrigins,
  readEgress,
  readInviteOrigins,
  readTrustedProxies,
} from './networkSettings.ts';
import { type NamedChain, readOwnChains } from './readOwnChains.ts';
import { refuseMisspelt } from './refuseMisspelt.ts';
import {
  readAdminToken,
  readHeartbeatSettings,
  readMasterKey,
  readMasterKeyFile,
  readMetricsSettings,
} from './secretSettings.ts';

const roles = ['api', 'watch', 'work'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const logFormats = ['auto', 'json', 'text'] as const;

export type Config = ReturnType<typeof loadConfig>;

/** Lists every fault of the environment, so that one start is enough to correct them all. */
class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(
      `The environment has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

/** Reads the environment once into a frozen record. This is the only reader of `process.env`. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env) {
  const read = createEnvReader(env);
  const host = read.text('VIGIL_HOST') ?? '127.0.0.1';
  const dataDir = readDataDir(read) ?? defaultDataDir(env);
  const ownChains = readOwnChains(read);
  const config = Object.freeze({
    host,
    port: read.integer('VIGIL_PORT', 8080, 0, 65_535),
    /** A variable of hosting platforms, which is not used: a warning where VIGIL_PORT says nothing. */
    ignoredPort: read.text('VIGIL_PORT') === undefined ? read.text('PORT') : undefined,
    publicUrl: read.url('VIGIL_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, ''),
    dataDir,
    /** True if the environment says where the database is. */
    isPlaced: read.text('VIGIL_DATA_DIR') !== undefined || read.text('DATABASE_URL') !== undefined,
    runDir: read.text('VIGIL_RUN_DIR') ?? defaultRunDir(env),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    directUrl: read.databaseUrl('DATABASE_DIRECT_URL'),
    ownerUrl: read.databaseUrl('DATABASE_OWNER_URL'),
    replicaUrls: read.urls('DATABASE_REPLICA_URLS', ['postgres:', 'postgresql:']) ?? [],
    roles: read.someOf('VIGIL_ROLES', roles) ?? roles,
    adminToken: readAdminToken(read),
    masterKey: readMasterKey(read),
    masterKeyFile: readMasterKeyFile(read) ?? join(dataDir, 'master.key'),
    logLevel: read.oneOf('VIGIL_LOG_LEVEL', logLevels, 'info'),
    logFormat: read.oneOf('VIGIL_LOG_FORMAT', logFormats, 'auto'),
    baseLabels: read.oneOf('VIGIL_BASE_LABELS', ['on', 'off'], 'on') === 'on',
    sessionMaxDays: read.integer('VIGIL_SESSION_MAX_DAYS', 7, 1, 3650),
    deliveryDays: read.integer('VIGIL_DELIVERY_DAYS', deliveryDays, 8, 3650),
    retentionDays: read.optionalInteger('VIGIL_RETENTION_DAYS', 1, 36_500),
    /** Of a chain and a worker of Citus that cannot be written. */
    maxUnwrittenMib: read.integer('VIGIL_MAX_UNWRITTEN_MIB', 4096, 16, 1_048_576),
    rateLimit: {
      perSecond: read.integer('VIGIL_RATE_LIMIT', 100, 1, 1_000_000),
      burst: read.integer('VIGIL_RATE_BURST', 300, 1, 10_000_000),
    },
    corsOrigins: readCorsOrigins(read),
    inviteOrigins: readInviteOrigins(read),
    metrics: readMetricsSettings(read, host),
    egress: readEgress(read),
    heartbeat: readHeartbeatSettings(read),
    trustedProxies: readTrustedProxies(read),
    abiSources: readAbiSources(read),
    smtpUrl: read.secretUrl('VIGIL_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: read.text('VIGIL_MAIL_FROM') ?? 'vigil@localhost',
    messengerA: {
      url: read.url('VIGIL_MESSENGER_A_URL', ['http:', 'https:']),
      token: read.secret('VIGIL_MESSENGER_A_TOKEN'),
    },
    messengerNames: readMessengerNames(read),
    pkcs11: {
      module: read.text('VIGIL_PKCS11_MODULE'),
      slot: read.text('VIGIL_PKCS11_SLOT'),
      pinFile: read.text('VIGIL_PKCS11_PIN_FILE'),
    },
    ownChains,
    chains: readChains(read, ownChains),
  });
  if (config.ownerUrl !== undefined && config.databaseUrl === undefined)
    read.fault('DATABASE_OWNER_URL needs DATABASE_URL, the address of the role that Vigil works as.');
  refuseMisspelt(env, read, [...seedChainUids, ...ownChains.map(({ chain }) => chain.uid)]);
  const faults = read.faults();
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** The names that the two messengers are shown under. */
function readMessengerNames(read: EnvReader): MessengerNames {
  const nameOf = (letter: 'A' | 'B') => {
    const name = read.text(`VIGIL_MESSENGER_${letter}_NAME`) ?? null;
    if (name !== null && name.length > 50)
      read.fault(`VIGIL_MESSENGER_${letter}_NAME must have at most 50 characters.`);
    return name;
  };
  return { a: nameOf('A'), b: nameOf('B') };
}

/** The settings of the chains that have some; endpoints may also be stored. */
function readChains(read: EnvReader, ownChains: readonly NamedChain[]) {
  const namedChains = ownChains.map(({ chain, endpoints }) => ({ chain, named: endpoints }));
  const seeds = Object.values(chains).map((chain) => ({ chain, named: [] }));
  return Object.fromEntries(
    [...seeds, ...namedChains].flatMap(({ chain, named }) => {
      const { uid } = chain;
      const name = uid.toUpperCase();
      const set = read.urls(`VIGIL_RPC_${name}`, ['http:', 'https:', 'ws:', 'wss:']) ?? [];
      const endpoints = [...new Set([...named, ...set])];
      const maxBlock = Number.MAX_SAFE_INTEGER;
      const confirmations = read.optionalInteger(`VIGIL_CHAIN_${name}_CONFIRMATIONS`, 0, maxBlock);
      const startBlock = read.optionalInteger(`VIGIL_CHAIN_${name}_START_BLOCK`, 0, maxBlock);
      const network = readNetwork(read, chain);
      const traces = read.oneOf(traceSetting(uid), traceModes, 'auto');
      if (traces === 'required' && !families[chain.family].nodes?.areTraced)
        read.fault(`${traceSetting(uid)} cannot be required: nodes of ${chain.name} do not trace calls.`);
      const pending = read.oneOf(`VIGIL_CHAIN_${name}_PENDING`, pendingModes, 'auto');
      const relays = read.urls(`VIGIL_CHAIN_${name}_RELAYS`, ['http:', 'https:']) ?? [];
      const settings = { endpoints, confirmations, startBlock, network, traces, pending, relays };
      const isSet =
        endpoints.length > 0 ||
        traces !== 'auto' ||
        pending !== 'auto' ||
        relays.length > 0 ||
        [confirmations, startBlock, network].some((given) => given !== undefined);
      return isSet ? [[uid, settings]] : [];
    }),
  );
}

/** An own chain says itself which network it is. */
function readNetwork(read: EnvReader, { uid }: Chain): string | undefined {
  const setting = `VIGIL_CHAIN_${uid.toUpperCase()}_NETWORK`;
  const network = read.text(setting);
  if (isSeedUid(uid) || network === undefined) return network;
  read.fault(`${setting} cannot be set: VIGIL_CHAINS says which network ${uid} is.`);
  return undefined;
}

/** Another folder from each working folder would be another database. */
function readDataDir(read: EnvReader): string | undefined {
  const folder = read.text('VIGIL_DATA_DIR');
  if (folder !== undefined && !isAbsolute(folder))
    read.fault(
      `VIGIL_DATA_DIR is "${folder}", another folder from each working folder; from here it is ${resolve(folder)}.`,
    );
  return folder && resolve(folder);
}

/** As root the bundled PostgreSQL runs under another account, which cannot enter root's home. */
function defaultDataDir(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/vigil/data';
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'vigil');
}

/** The same in every shell of a user: sessions without a log-in have no XDG_RUNTIME_DIR. */
function defaultRunDir(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/run/vigil';
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'vigil', 'run');
}

/** The configured confirmations of a chain, or its default. */
export function confirmationsOf({ chains: settings }: Pick<Config, 'chains'>) {
  return (uid: ChainUid): number => settings[uid]?.confirmations ?? getChain(uid).confirmations;
}
