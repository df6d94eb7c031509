import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { chainUids } from '../chains/chains.ts';
import type { Egress } from '../lib/egress.ts';
import { messageOf } from '../lib/messageOf.ts';
import { nearest } from '../lib/nearest.ts';
import { Secret } from '../lib/secret.ts';

const roles = ['api', 'watch', 'work'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type Config = ReturnType<typeof loadConfig>;

/** A fault in the environment; its message lists all of them, so that one start is enough to mend them all. */
class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The environment has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Reads the environment once into a frozen record. This is the only reader of `process.env`. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env) {
  const faults: string[] = [];
  const read = reader(env, faults);
  const dataDir = resolve(read.text('VIGIL_DATA_DIR') ?? defaultDataDir(env));
  const config = Object.freeze({
    host: read.text('VIGIL_HOST') ?? '127.0.0.1',
    port: read.integer('VIGIL_PORT', 8080, 0, 65_535),
    publicUrl: read.url('VIGIL_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, ''),
    dataDir,
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    roles: read.list('VIGIL_ROLES', roles) ?? roles,
    adminToken: read.adminToken('VIGIL_ADMIN_TOKEN'),
    masterKey: readMasterKey(read, faults),
    masterKeyFile: resolve(read.text('VIGIL_MASTER_KEY_FILE') ?? join(dataDir, 'master.key')),
    logLevel: read.oneOf('VIGIL_LOG_LEVEL', logLevels, 'info'),
    retentionDays: read.optionalInteger('VIGIL_RETENTION_DAYS', 1, 36_500),
    rateLimit: {
      perSecond: read.integer('VIGIL_RATE_LIMIT', 100, 1, 1_000_000),
      burst: read.integer('VIGIL_RATE_BURST', 300, 1, 10_000_000),
    },
    corsOrigins: read.origins('VIGIL_CORS_ORIGINS'),
    metrics: readMetrics(read, faults),
    egress: { ...read.networks('VIGIL_ALLOW_NETWORKS'), ports: read.ports('VIGIL_ALLOW_PORTS') },
    trustedProxies: read.addresses('VIGIL_TRUSTED_PROXIES'),
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
  refuseUnknown(env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Every variable that does not carry a chain's name; the README's table lists the same. */
const variables = [
  'VIGIL_HOST',
  'VIGIL_PORT',
  'VIGIL_PUBLIC_URL',
  'VIGIL_DATA_DIR',
  'VIGIL_ROLES',
  'VIGIL_ADMIN_TOKEN',
  'VIGIL_MASTER_KEY',
  'VIGIL_MASTER_KEY_FILE',
  'VIGIL_LOG_LEVEL',
  'VIGIL_RETENTION_DAYS',
  'VIGIL_RATE_LIMIT',
  'VIGIL_RATE_BURST',
  'VIGIL_CORS_ORIGINS',
  'VIGIL_METRICS_TOKEN',
  'VIGIL_METRICS_TOKEN_FILE',
  'VIGIL_METRICS_HOST',
  'VIGIL_METRICS_PORT',
  'VIGIL_ALLOW_NETWORKS',
  'VIGIL_ALLOW_PORTS',
  'VIGIL_TRUSTED_PROXIES',
  'VIGIL_SMTP_URL',
  'VIGIL_MAIL_FROM',
  'VIGIL_MESSENGER_A_URL',
  'VIGIL_MESSENGER_A_TOKEN',
  'VIGIL_PKCS11_MODULE',
  'VIGIL_PKCS11_SLOT',
  'VIGIL_PKCS11_PIN_FILE',
];

/** A typo in a variable's name would otherwise leave a chain unwatched or a limit unset without a word. */
function refuseUnknown(env: NodeJS.ProcessEnv, faults: string[]): void {
  const known = new Set([
    ...variables,
    ...chainUids.flatMap((uid) => {
      const name = uid.toUpperCase();
      return [`VIGIL_RPC_${name}`, `VIGIL_CHAIN_${name}_CONFIRMATIONS`, `VIGIL_CHAIN_${name}_START_BLOCK`];
    }),
  ]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith('VIGIL_') || known.has(name)) continue;
    const guess = nearest(name, known);
    if (guess) faults.push(`${name} is not a setting of Vigil; did you mean ${guess}?`);
    else if (/^VIGIL_(RPC|CHAIN)_/.test(name))
      faults.push(`${name} names no chain; the chains are ${chainUids.join(', ')}.`);
  }
}

function readChains(read: Reader) {
  return Object.fromEntries(
    chainUids.flatMap((uid) => {
      const name = uid.toUpperCase();
      const endpoints = read.urls(`VIGIL_RPC_${name}`, ['http:', 'https:', 'ws:', 'wss:']);
      const most = Number.MAX_SAFE_INTEGER;
      const confirmations = read.optionalInteger(`VIGIL_CHAIN_${name}_CONFIRMATIONS`, 0, most);
      const startBlock = read.optionalInteger(`VIGIL_CHAIN_${name}_START_BLOCK`, 0, most);
      return endpoints ? [[uid, { endpoints, confirmations, startBlock }]] : [];
    }),
  );
}

function readMasterKey(read: Reader, faults: string[]): Secret | undefined {
  const key = read.secret('VIGIL_MASTER_KEY');
  if (key && Buffer.from(key.reveal(), 'base64').length !== 32 && !/^[0-9a-f]{64}$/i.test(key.reveal())) {
    faults.push(
      'VIGIL_MASTER_KEY must be 32 random bytes in base64 or hex, e.g. the output of `openssl rand -base64 32`.',
    );
  }
  return key;
}

/** /metrics is open on the API's own port unless it is given a token, a port of its own, or both. */
function readMetrics(read: Reader, faults: string[]) {
  const port = read.optionalInteger('VIGIL_METRICS_PORT', 0, 65_535);
  const host = read.text('VIGIL_METRICS_HOST');
  if (host !== undefined && port === undefined)
    faults.push('VIGIL_METRICS_HOST needs VIGIL_METRICS_PORT, the port on which /metrics is served there.');
  return {
    port,
    host: host ?? read.text('VIGIL_HOST') ?? '127.0.0.1',
    token: readMetricsToken(read, faults),
  };
}

function readMetricsToken(read: Reader, faults: string[]): Secret | undefined {
  const given = read.secret('VIGIL_METRICS_TOKEN');
  const file = read.text('VIGIL_METRICS_TOKEN_FILE');
  if (given && file !== undefined)
    faults.push('VIGIL_METRICS_TOKEN and VIGIL_METRICS_TOKEN_FILE are both set; only one of them can be.');
  let token = given;
  try {
    if (file !== undefined) token = new Secret(readFileSync(file, 'utf8').trim());
  } catch (error) {
    faults.push(`VIGIL_METRICS_TOKEN_FILE cannot be read: ${messageOf(error)}.`);
    return undefined;
  }
  if (token && !/^[\x21-\x7e]{16,256}$/.test(token.reveal()))
    faults.push(
      `${given ? 'VIGIL_METRICS_TOKEN' : 'The token in VIGIL_METRICS_TOKEN_FILE'} must have 16 to 256 visible ASCII characters.`,
    );
  return token;
}

type Reader = ReturnType<typeof reader>;

function reader(env: NodeJS.ProcessEnv, faults: string[]) {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;

  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((word) => word === value);
    if (!found) faults.push(`${name} is "${value}" but must be one of ${allowed.join(', ')}.`);
    return found ?? fallback;
  };

  const items = (name: string): string[] | undefined =>
    text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean);

  const parseUrl = (name: string, value: string, protocols: readonly string[]): string | undefined => {
    const right = protocols.map((protocol) => `${protocol}//`).join(', ');
    // PostgreSQL's addresses may leave out the host when a parameter names its socket: postgres://user@/name?host=/run
    const whole = value.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1localhost');
    if (!URL.canParse(whole) || !protocols.includes(new URL(whole).protocol)) {
      faults.push(`${name} must be an address that begins with ${right}.`);
      return undefined;
    }
    return value;
  };

  const url = (name: string, protocols: readonly string[]): string | undefined => {
    const value = text(name);
    return value === undefined ? undefined : parseUrl(name, value, protocols);
  };

  const secret = (name: string): Secret | undefined => {
    const value = text(name);
    return value === undefined ? undefined : new Secret(value);
  };

  const optionalInteger = (name: string, low: number, high: number): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= low && number <= high) return number;
    faults.push(`${name} is "${value}" but must be a whole number from ${low} to ${high}.`);
    return undefined;
  };

  return {
    text,
    oneOf,
    url,
    secret,
    secretUrl: (name: string, protocols: readonly string[]): Secret | undefined => {
      const value = url(name, protocols);
      return value === undefined ? undefined : new Secret(value);
    },
    urls: (name: string, protocols: readonly string[]): string[] | undefined =>
      items(name)?.flatMap((item) => parseUrl(name, item, protocols) ?? []),
    optionalInteger,
    integer: (name: string, fallback: number, low: number, high: number): number =>
      optionalInteger(name, low, high) ?? fallback,
    list: <T extends string>(name: string, allowed: readonly T[]): T[] | undefined => {
      const words = items(name);
      const unknown = words?.filter((word) => !allowed.some((role) => role === word)) ?? [];
      if (unknown.length > 0)
        faults.push(`${name} has "${unknown.join(', ')}" but takes only ${allowed.join(', ')}.`);
      if (words?.length === 0) faults.push(`${name} names nothing but takes ${allowed.join(', ')}.`);
      return words && allowed.filter((role) => words.includes(role));
    },
    adminToken: (name: string): Secret | undefined => {
      const value = secret(name);
      if (value && !/^[\x21-\x7e]{32,256}$/.test(value.reveal())) {
        faults.push(
          `${name} must have 32 to 256 visible ASCII characters, e.g. the output of \`openssl rand -hex 32\`.`,
        );
      }
      return value;
    },
    origins: (name: string): string[] => {
      const origins = items(name) ?? [];
      for (const origin of origins) {
        const isOrigin = origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin);
        if (!isOrigin)
          faults.push(`${name} has "${origin}" but takes origins such as https://console.example.com, or *.`);
      }
      return origins;
    },
    /** Networks and single addresses; undefined when there are none. */
    addresses: (name: string): BlockList | undefined => {
      const all = items(name) ?? [];
      const list = new BlockList();
      for (const item of all) {
        const [address = '', bits] = item.split('/');
        const version = isIP(address);
        const limit = version === 6 ? 128 : 32;
        if (version === 0 || (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > limit)))
          faults.push(
            `${name} has "${item}" but takes addresses and networks such as 10.0.0.7 or 10.0.0.0/8.`,
          );
        else list.addSubnet(address, Number(bits ?? limit), version === 6 ? 'ipv6' : 'ipv4');
      }
      return all.length > 0 ? list : undefined;
    },
    /** `10.0.0.0/8` for every tenant, `tenant:12=10.1.0.0/16` for one. */
    networks: (name: string): Pick<Egress, 'networks' | 'tenantNetworks'> => {
      const networks = new BlockList();
      const tenantNetworks = new Map<number, BlockList>();
      for (const item of items(name) ?? []) {
        const [, tenant, network = item] = /^tenant:(\d{1,15})=(.*)$/.exec(item) ?? [];
        const [address = '', bits = ''] = network.split('/');
        const version = isIP(address);
        if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) {
          faults.push(
            `${name} has "${item}" but takes networks such as 10.0.0.0/8 or fd00::/8, and tenant:12=10.1.0.0/16 for one tenant.`,
          );
          continue;
        }
        const id = Number(tenant);
        const list = tenant === undefined ? networks : (tenantNetworks.get(id) ?? new BlockList());
        if (tenant !== undefined) tenantNetworks.set(id, list);
        list.addSubnet(address, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
      }
      return { networks, tenantNetworks };
    },
    ports: (name: string): ReadonlySet<number> => {
      const ports = items(name) ?? [];
      for (const port of ports)
        if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
          faults.push(`${name} has "${port}" but takes ports from 1 to 65535, such as 8080,8443.`);
      return new Set(ports.map(Number));
    },
  };
}

/** As root the bundled PostgreSQL runs under another account, which cannot enter root's home. */
function defaultDataDir(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/vigil/data';
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'vigil');
}

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
