import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { freePort } from '../../testing/freePort.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

const run = promisify(execFile);
const sdk = join(import.meta.dirname, '..', '..', 'sdk');

let api: TestApi;
let folder: string;
let detectorId: number;
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
  await api.ok('POST', 'tenant', { name: 'Readers' });
  ({ detectorId } = await addSource(api, 1));
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

/** Runs a program beside the installed package. */
async function start(
  file: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  program = process.execPath,
) {
  const child = spawn(program, [file, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed.text += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, printed, ended };
}

it('does what its README shows', async () => {
  const token = await api.token(1, 'tenant-manager');
  const own = blocks.filter((block) => !block.includes('verifyWebhook'));
  expect(own).toHaveLength(8);
  await writeFile(join(folder, 'readme.mjs'), own.join('\n'));
  const { printed, ended } = await start('readme.mjs', [], { VIGIL_URL: api.url, VIGIL_TOKEN: token });
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

type Receiver = (port: string, secret: string) => ReturnType<typeof start>;
const example = (name: string) => join(import.meta.dirname, '..', '..', 'examples', name);
const receivers: [string, Receiver, string][] = [
  [
    'of the README',
    async (PORT, WEBHOOK_SECRET) => {
      const code = blocks.find((block) => block.includes('verifyWebhook'))!;
      await writeFile(join(folder, 'receiver.mjs'), code);
      return start('receiver.mjs', [], { PORT, WEBHOOK_SECRET });
    },
    'm1 ping Здравствуй\nm1 ping Здравствуй\n',
  ],
  [
    'of examples/receiver.mjs',
    async (...args) => start(example('receiver.mjs'), args),
    'UNSIGNED\nUNSIGNED\nsigned   ping Здравствуй\n',
  ],
  [
    'of examples/receiver.py',
    async (...args) => start(example('receiver.py'), args, {}, 'python3'),
    'UNSIGNED\nUNSIGNED\nsigned   ping Здравствуй\n',
  ],
];

it.for(receivers)('the receiver %s checks signatures', async ([name, receive, expected], { skip }) => {
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  skip(name.endsWith('.py') && !hasPython, 'python3 is not installed');
  const secret = randomBytes(32).toString('base64');
  const port = await freePort();
  const { child, printed, ended } = await receive(String(port), `whsec_${secret}`);
  const body = JSON.stringify({
    type: 'ping',
    timestamp: 'now',
    sequence: 1,
    data: { message: 'Здравствуй' },
  });
  const post = async (key: string, before = '', ageSeconds = 0) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(`m1.${timestamp}.${body}`);
    const headers = {
      'webhook-id': 'm1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `${before}v1,${hmac.digest('base64')}`,
    };
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
  };
  expect(await until(() => post(randomBytes(32).toString('base64')).catch(() => undefined))).toBe(401);
  expect(await post(secret, '', 400)).toBe(401);
  expect(await post(secret, 'v1,AAAA ')).toBe(204);
  // Sent again: the examples print it once.
  expect(await post(secret)).toBe(204);
  await until(() => printed.text.length >= expected.length);
  child.kill();
  await ended;
  expect(printed.text).toBe(expected);
});

it('comments on new alerts by examples/commentBot.mjs', async () => {
  const token = await api.token(1, 'tenant-user');
  await copyFile(example('commentBot.mjs'), join(folder, 'bot.mjs'));
  const { child, printed, ended } = await start('bot.mjs', ['severity:HIGH'], {
    VIGIL_URL: api.url,
    VIGIL_TOKEN: token,
  });
  const push = async (eid: string, severity: string) => {
    const alert = { severity, name: 'Drain', message: `Drained ${eid}`, timestamp: Date.now(), eid };
    const { results } = await api.ok('POST', `detector/${detectorId}/alert`, { alerts: [alert] });
    return results[0].uid as string;
  };
  await until(() => printed.text.includes('connected'));
  await push('b0', 'LOW');
  const first = await push('b1', 'HIGH');
  const second = await push('b2', 'HIGH');
  await until(() => printed.text.includes(second) || printed.text.includes('no comment'));
  child.kill();
  await ended;
  expect(printed.text).not.toContain('no comment');
  const commentOn = async (uid: string) => (await api.ok('GET', `alert/${uid}/comment`)).data[0]?.text;
  expect(await commentOn(first)).toMatch(/ of this kind .* before; the last was LOW: Drained b0$/);
  expect(await commentOn(second)).toMatch(/ of this kind .* before; the last was HIGH: Drained b1$/);
});
