import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/runtime/config/loadConfig.ts';

describe('the environment', () => {
  it('has settings that are blank taken for unset', () => {
    const blank = loadConfig({
      VIGIL_RETENTION_DAYS: ' ',
      VIGIL_PORT: ' ',
      VIGIL_RPC_ETHEREUM: 'http://127.0.0.1:8545',
      VIGIL_CHAIN_ETHEREUM_CONFIRMATIONS: ' ',
      VIGIL_CHAIN_ETHEREUM_START_BLOCK: '\t',
    });
    expect(blank.retentionDays).toBeUndefined();
    expect(blank.port).toBe(8080);
    expect(blank.chains.ethereum).toMatchObject({ confirmations: undefined, startBlock: undefined });
  });

  it('is read from files that it names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-settings-'));
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const config = loadConfig({
      DATABASE_URL_FILE: write('database', 'postgres://vigil:secret@db/vigil\n'),
      VIGIL_ADMIN_TOKEN_FILE: write('token', `${'t'.repeat(40)}\n`),
      VIGIL_RPC_ETHEREUM_FILE: write(
        'rpc',
        'https://node.example.com/key-1,https://node.example.com/key-2\n',
      ),
    });
    rmSync(folder, { recursive: true });
    expect(config.databaseUrl).toBe('postgres://vigil:secret@db/vigil');
    expect(config.adminToken?.reveal()).toBe('t'.repeat(40));
    expect(config.chains.ethereum?.endpoints).toEqual([
      'https://node.example.com/key-1',
      'https://node.example.com/key-2',
    ]);
    expect(config.isPlaced).toBe(true);
  });

  it('is read as it is written', () => {
    const config = loadConfig({
      VIGIL_RETENTION_DAYS: '30',
      VIGIL_DELIVERY_DAYS: '14',
      VIGIL_RPC_ETHEREUM: 'http://127.0.0.1:8545',
      VIGIL_CHAIN_ETHEREUM_CONFIRMATIONS: '0',
      VIGIL_CHAIN_ETHEREUM_START_BLOCK: '5',
      VIGIL_ROLES: 'work, api',
      VIGIL_PUBLIC_URL: 'https://vigil.example.com/',
    });
    expect(config.retentionDays).toBe(30);
    expect(config.deliveryDays).toBe(14);
    expect(config.chains.ethereum).toMatchObject({ confirmations: 0, startBlock: 5 });
    expect(config.roles).toEqual(['api', 'work']);
    expect(config.publicUrl).toBe('https://vigil.example.com');
  });

  it.each([
    [
      { VIGIL_RETENTION_DAYS: '0' },
      'VIGIL_RETENTION_DAYS is "0" but must be a whole number from 1 to 36500.',
    ],
    [{ VIGIL_METRICS_TOKEN: 'short' }, 'VIGIL_METRICS_TOKEN must have 16 to 256 visible ASCII characters.'],
    [
      { VIGIL_METRICS_TOKEN: 'a'.repeat(16), VIGIL_METRICS_TOKEN_FILE: '/dev/null' },
      'VIGIL_METRICS_TOKEN and VIGIL_METRICS_TOKEN_FILE are both set; only one of them can be.',
    ],
    [{ VIGIL_METRICS_TOKEN_FILE: '/no/such/file' }, 'VIGIL_METRICS_TOKEN_FILE cannot be read: ENOENT'],
    [{ DATABASE_URL_FILE: '/dev/null' }, 'DATABASE_URL_FILE names /dev/null, which is empty.'],
    [
      { DATABASE_URL: 'postgres://a/b', DATABASE_URL_FILE: '/dev/null' },
      'DATABASE_URL and DATABASE_URL_FILE are both set; only one of them can be.',
    ],
    [
      { DATABASE_URL_FIL: '/run/x' },
      'DATABASE_URL_FIL is not a setting of Vigil; did you mean DATABASE_URL_FILE?',
    ],
    [{ VIGIL_METRICS_HOST: '0.0.0.0' }, 'VIGIL_METRICS_HOST needs VIGIL_METRICS_PORT'],
    [
      { VIGIL_CHAIN_ETHEREUM_TRACES: 'on' },
      'VIGIL_CHAIN_ETHEREUM_TRACES is "on" but must be one of auto, off, required.',
    ],
    [
      { VIGIL_CHAIN_BITCOIN_TRACES: 'required' },
      'VIGIL_CHAIN_BITCOIN_TRACES cannot be required: nodes of Bitcoin do not trace calls.',
    ],
    [{ VIGIL_ROLES: ',' }, 'VIGIL_ROLES names nothing but takes api, watch, work.'],
    [
      { VIGIL_DATA_DIR: 'data' },
      `another folder from each working folder; from here it is ${resolve('data')}.`,
    ],
    [{ VIGIL_DATA_DIR: '~/data' }, 'VIGIL_DATA_DIR is "~/data", another folder from each working folder'],
    [{ VIGIL_MASTER_KEY_FILE: '/no/key' }, 'VIGIL_MASTER_KEY_FILE names /no/key, which does not exist.'],
    [{ VIGIL_MASTER_KEY_FILE: '/' }, 'VIGIL_MASTER_KEY_FILE names /, which cannot be read: EISDIR'],
    [{ DATABSE_URL: 'x' }, 'DATABSE_URL is not a setting of Vigil; did you mean DATABASE_URL?'],
    [{ DATABASE_URLS: 'x' }, 'did you mean DATABASE_URL?'],
    [{ DATABASE_REPLICA_URL: 'x' }, 'did you mean DATABASE_REPLICA_URLS?'],
    [{ DATABASE_URL: 'postgres://a/b', DATABASE_DIRECT_ULR: 'x' }, 'did you mean DATABASE_DIRECT_URL?'],
    ...['DATABASE_URI', 'PG_URL', 'PGURL', 'POSTGRES_URL', 'POSTGRESQL_URI', 'DB_URL', 'POSTGRES_DSN'].map(
      (name): [Record<string, string>, string] => [
        { [name]: 'postgres://a/b' },
        `${name} is not read by Vigil; put the address of its PostgreSQL into DATABASE_URL.`,
      ],
    ),
  ])('says what is wrong with %o', (env, fault) => {
    expect(() => loadConfig(env)).toThrow(fault);
  });

  it('may have the names of other programs where DATABASE_URL is set, and those that only look alike', () => {
    const others = { DATABASE_URI: 'x', PG_URL: 'x', POSTGRES_DSN: 'x' };
    expect(loadConfig({ DATABASE_URL: 'postgres://a/b', ...others }).databaseUrl).toBe('postgres://a/b');
    const alike = {
      TEST_DATABASE_URL: 'x',
      DATABASE_NAME: 'x',
      PGHOST: 'x',
      DATABSE_URL: ' ',
      POSTGRES_URL: '',
    };
    expect(loadConfig(alike).databaseUrl).toBeUndefined();
  });
});
