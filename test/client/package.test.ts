import { execFile, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

const run = promisify(execFile);
const sdk = join(import.meta.dirname, '..', '..', 'sdk');

let api: TestApi;
let folder: string;
/** The code blocks of the README, as a user has them who has installed the package. */
let blocks: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vigil-client-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: sdk });
  const archive: string = JSON.parse(stdout.slice(stdout.indexOf('[')))[0].filename;
  const installed = join(folder, 'node_modules', '@vigil', 'client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1']);
  const readme = await readFile(join(installed, 'README.md'), 'utf8');
  blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]!);
  api = await startTestApi();
});
afterAll(async () => {
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('has the version of Vigil', async () => {
  const versions = [sdk, join(sdk, '..')].map(
    async (from) => JSON.parse(await readFile(join(from, 'package.json'), 'utf8')).version,
  );
  const [own, vigils] = await Promise.all(versions);
  expect(own).toBe(vigils);
});

it('has at most 12 kB of code, compressed', async () => {
  const dist = join(folder, 'node_modules', '@vigil', 'client', 'dist');
  const scripts = (await readdir(dist)).filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(scripts.map((file) => readFile(join(dist, file), 'utf8')));
  expect(scripts).toContain('index.js');
  expect(gzipSync(texts.join('\n')).length).toBeLessThan(12_000);
});

/** Runs code as a program beside the installed package. */
async function start(name: string, code: string, env: Record<string, string>) {
  await writeFile(join(folder, name), code);
  const child = spawn(process.execPath, [name], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed.text += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, printed, ended };
}

it('does what its README shows', async () => {
  await api.ok('POST', 'tenant', { name: 'Readers' });
  const { detectorId } = await addSource(api, 1);
  const token = await api.token(1, 'tenant-manager');
  const own = blocks.filter((block) => !block.includes('verifyWebhook'));
  expect(own).toHaveLength(7);
  const { printed, ended } = await start('readme.mjs', own.join('\n'), {
    VIGIL_URL: api.url,
    VIGIL_TOKEN: token,
  });
  await until(() => api.services.alertFeed.slots.count(1) === 1 || printed.text.includes('Error'));
  const alert = { severity: 'HIGH', name: 'Drain', message: 'Drained', timestamp: Date.now() };
  // A stream shows what happens after it has started to read.
  let pushed = 0;
  const code = await until(async () => {
    await api.ok('POST', `detector/${detectorId}/alert`, { alerts: [{ ...alert, eid: `e${++pushed}` }] });
    return Promise.race([ended.then(String), sleep(200)]);
  });
  expect([code, printed.text]).toEqual(['0', expect.stringContaining('Signed in as tenant-manager')]);
  expect(printed.text).toMatch(/^invalid-input 400 \{ '\/name': '.+' \}$/m);
  expect(printed.text).toMatch(/^\d+ Token$/m);
  expect(printed.text).toContain('0 critical alerts');
  expect(printed.text).toContain('0 alerts, 25 characters');
  expect(printed.text).toMatch(/^\d+-\d+ raised HIGH Drained$/m);
});

it('checks the signature of webhooks as its README shows', async () => {
  const secret = randomBytes(32).toString('base64');
  const port = await freePort();
  const { child, printed, ended } = await start(
    'receiver.mjs',
    blocks.find((block) => block.includes('verifyWebhook'))!,
    { PORT: String(port), WEBHOOK_SECRET: `whsec_${secret}` },
  );
  const body = JSON.stringify({
    type: 'ping',
    timestamp: 'now',
    sequence: 1,
    data: { message: 'Здравствуй' },
  });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const sign = (key: string) =>
    `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(`m1.${timestamp}.${body}`).digest('base64')}`;
  const post = async (signature: string) => {
    const headers = {
      'webhook-id': 'm1',
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
  };
  await until(() => post('').catch(() => undefined));
  expect(await post(sign(randomBytes(32).toString('base64')))).toBe(401);
  expect(await post(`v1,AAAA ${sign(secret)}`)).toBe(204);
  expect(printed.text).toBe('m1 ping Здравствуй\n');
  child.kill();
  await ended;
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
