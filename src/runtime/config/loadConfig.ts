import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ChainUid, chains, chainUids } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { nearest } from '../../lib/nearest.ts';
import { pendingModes } from '../../model/pending.ts';
import { traceModes, traceSetting } from '../../model/traceState.ts';
import { createEnvReader, type EnvReader } from './createEnvReader.ts';
import {
  readAbiSources,
  readCorsOrigins,
  readEgress,
  readInviteOrigins,
  readTrustedProxies,
} from './networkSettings.ts';
import { readAdminToken, readMasterKey, readMetricsSettings } from './secretSettings.ts';

const roles = ['api', 'watch', 'work'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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
  const dataDir = resolve(read.text('VIGIL_DATA_DIR') ?? defaultDataDir(env));
  const config = Object.freeze({
    host,
    port: read.integer('VIGIL_PORT', 8080, 0, 65_535),
    publicUrl: read.url('VIGIL_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, ''),
    dataDir,
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    directUrl: read.databaseUrl('DATABASE_DIRECT_URL'),
    replicaUrls: read.urls('DATABASE_REPLICA_URLS', ['postgres:', 'postgresql:']) ?? [],
    roles: read.someOf('VIGIL_ROLES', roles) ?? roles,
    adminToken: readAdminToken(read),
    masterKey: readMasterKey(read),
    masterKeyFile: resolve(read.text('VIGIL_MASTER_KEY_FILE') ?? join(dataDir, 'master.key')),
    logLevel: read.oneOf('VIGIL_LOG_LEVEL', logLevels, 'info'),
    baseLabels: read.oneOf('VIGIL_BASE_LABELS', ['on', 'off'], 'on') === 'on',
    sessionMaxDays: read.integer('VIGIL_SESSION_MAX_DAYS', 7, 1, 3650),
    retentionDays: read.optionalInteger('VIGIL_RETENTION_DAYS', 1, 36_500),
    rateLimit: {
      perSecond: read.integer('VIGIL_RATE_LIMIT', 100, 1, 1_000_000),
      burst: read.integer('VIGIL_RATE_BURST', 300, 1, 10_000_000),
    },
    corsOrigins: readCorsOrigins(read),
    inviteOrigins: readInviteOrigins(read),
    metrics: readMetricsSettings(read, host),
    egress: readEgress(read),
    trustedProxies: readTrustedProxies(read),
    abiSources: readAbiSources(read),
    smtpUrl: read.secretUrl('VIGIL_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: read.text('VIGIL_MAIL_FROM') ?? 'vigil@localhost',
    messengerA: {
      url: read.url('VIGIL_MESSENGER_A_URL', ['http:', 'https:']),
      token: read.secret('VIGIL_MESSENGER_A_TOKEN'),
    },
    pkcs11: {
      module: read.text('VIGIL_PKCS11_MODULE'),
      slot: read.text('VIGIL_PKCS11_SLOT'),
      pinFile: read.text('VIGIL_PKCS11_PIN_FILE'),
    },
    chains: readChains(read),
  });
  refuseUnknown(env, read);
  const faults = read.faults();
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** The settings of the chains that have some; endpoints may also be stored. */
function readChains(read: EnvReader) {
  return Object.fromEntries(
    chainUids.flatMap((uid) => {
      const name = uid.toUpperCase();
      const endpoints = read.urls(`VIGIL_RPC_${name}`, ['http:', 'https:', 'ws:', 'wss:']) ?? [];
      const maxBlock = Number.MAX_SAFE_INTEGER;
      const confirmations = read.optionalInteger(`VIGIL_CHAIN_${name}_CONFIRMATIONS`, 0, maxBlock);
      const startBlock = read.optionalInteger(`VIGIL_CHAIN_${name}_START_BLOCK`, 0, maxBlock);
      const network = read.text(`VIGIL_CHAIN_${name}_NETWORK`);
      const traces = read.oneOf(traceSetting(uid), traceModes, 'auto');
      if (traces === 'required' && !families[chains[uid].family].nodes?.areTraced)
        read.fault(
          `${traceSetting(uid)} cannot be required: nodes of ${chains[uid].name} do not trace calls.`,
        );
      const pending = read.oneOf(`VIGIL_CHAIN_${name}_PENDING`, pendingModes, 'auto');
      const relays = read.urls(`VIGIL_CHAIN_${name}_RELAYS`, ['http:', 'https:']) ?? [];
      const settings = { endpoints, confirmations, startBlock, network, traces, pending, relays };
      const isSet =
        endpoints.length > 0 ||
        traces !== 'auto' ||
        pending !== 'auto' ||
        relays.length > 0 ||
        [confirmations, startBlock, network].some((set) => set !== undefined);
      return isSet ? [[uid, settings]] : [];
    }),
  );
}

/** As root the bundled PostgreSQL runs under another account, which cannot enter root's home. */
function defaultDataDir(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/vigil/data';
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'vigil');
}

/** A typo in a variable's name would otherwise leave a chain unwatched or a limit unset without a warning. */
function refuseUnknown(env: NodeJS.ProcessEnv, read: EnvReader): void {
  const known = read.names();
  for (const name of Object.keys(env)) {
    if (!name.startsWith('VIGIL_') || known.has(name)) continue;
    const guess = nearest(name, known);
    if (guess) read.fault(`${name} is not a setting of Vigil; did you mean ${guess}?`);
    else if (/^VIGIL_(RPC|CHAIN)_/.test(name))
      read.fault(`${name} names no chain; the chains are ${chainUids.join(', ')}.`);
  }
}

/** The configured confirmations of a chain, or its default. */
export function confirmationsOf({ chains: settings }: Pick<Config, 'chains'>) {
  return (uid: ChainUid): number => settings[uid]?.confirmations ?? chains[uid].confirmations;
}
