import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../lib/messageOf.ts';
import { Secret } from '../../lib/secret.ts';
import type { EnvReader } from './createEnvReader.ts';

export function readAdminToken(read: EnvReader): Secret | undefined {
  const token = read.secret('VIGIL_ADMIN_TOKEN');
  if (token && !/^[\x21-\x7e]{32,256}$/.test(token.reveal()))
    read.fault(
      'VIGIL_ADMIN_TOKEN must have 32 to 256 visible ASCII characters, e.g. the output of `openssl rand -hex 32`.',
    );
  return token;
}

export function readMasterKey(read: EnvReader): Secret | undefined {
  const key = read.secret('VIGIL_MASTER_KEY');
  if (key && Buffer.from(key.reveal(), 'base64').length !== 32 && !/^[0-9a-f]{64}$/i.test(key.reveal()))
    read.fault(
      'VIGIL_MASTER_KEY must be 32 random bytes in base64 or hex, e.g. the output of `openssl rand -base64 32`.',
    );
  return key;
}

/** A file that is named exists: one made up in its place would seal secrets under a key that no one keeps. */
export function readMasterKeyFile(read: EnvReader): string | undefined {
  const name = read.text('VIGIL_MASTER_KEY_FILE');
  if (name === undefined) return undefined;
  const file = resolve(name);
  try {
    readFileSync(file);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    read.fault(
      `VIGIL_MASTER_KEY_FILE names ${file}, which ${isMissing ? 'does not exist' : `cannot be read: ${messageOf(error)}`}.`,
    );
  }
  return file;
}

/** Anyone may read /metrics on the API's own port unless there is a token, a port of its own, or both. */
export function readMetricsSettings(read: EnvReader, apiHost: string) {
  const port = read.optionalInteger('VIGIL_METRICS_PORT', 0, 65_535);
  const host = read.text('VIGIL_METRICS_HOST');
  if (host !== undefined && port === undefined)
    read.fault('VIGIL_METRICS_HOST needs VIGIL_METRICS_PORT, the port on which /metrics is served there.');
  return { port, host: host ?? apiHost, token: readMetricsToken(read) };
}

function readMetricsToken(read: EnvReader): Secret | undefined {
  const token = read.secret('VIGIL_METRICS_TOKEN');
  if (token && !/^[\x21-\x7e]{16,256}$/.test(token.reveal()))
    read.fault('VIGIL_METRICS_TOKEN must have 16 to 256 visible ASCII characters.');
  return token;
}

/** A secret, because calls by anyone else would keep a watchdog quiet. */
export function readHeartbeatSettings(read: EnvReader) {
  const name = 'VIGIL_HEARTBEAT_URL';
  const urls = [...new Set(read.urls(name, ['http:', 'https:']) ?? [])];
  if (urls.length > maxHeartbeatUrls)
    read.fault(`${name} has ${urls.length} addresses but takes at most ${maxHeartbeatUrls}.`);
  return {
    addresses: urls.map((url) => new Secret(url)),
    everyMs: read.integer('VIGIL_HEARTBEAT_SECONDS', 60, 10, 3600) * 1000,
  };
}

const maxHeartbeatUrls = 10;
