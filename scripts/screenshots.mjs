// `npm run screenshots`: runs the demo, waits for its alerts, and takes the pictures of every page of its console, for the documents.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { consoleDocument, consolePages } from './consolePages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs', 'images');
mkdirSync(folder, { recursive: true });
const data = join(tmpdir(), `vigil-screenshots-${randomUUID()}`);
const demo = spawn(process.execPath, [join(root, 'scripts', 'demo.mjs'), '--data', data], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let browser;
try {
  const link = await waitForAlerts(demo.stdout);
  await fillPages(new URL(link));
  const { openBrowser } = await importTyped(join('testing', 'openBrowser.ts'));
  browser = await openBrowser({ isWhole: true });
  for (const theme of ['light', 'dark']) await takePictures(link, theme);
  writeFileSync(join(root, 'docs', 'console.md'), consoleDocument());
} finally {
  await browser?.close();
  demo.kill('SIGINT');
  if (demo.exitCode === null) await once(demo, 'exit');
  rmSync(data, { recursive: true, force: true });
}

/** Bundled into a file beside the packages that it imports. */
async function importTyped(source) {
  const file = join(root, 'node_modules', '.cache', 'screenshots.mjs');
  await build({ input: join(root, source), platform: 'node', external: [/node_modules/], output: { file } });
  return import(file);
}

/** The console's link, once there is something to see. */
async function waitForAlerts(output) {
  let link;
  let alerts = 0;
  for await (const line of createInterface({ input: output })) {
    link ??= /console\s+(\S+#key=\S+)/.exec(line)?.[1];
    if (link && /LOW|MEDIUM|HIGH|CRITICAL/.test(line) && ++alerts === 30) return link;
  }
  throw new Error('The demo ended before its alerts.');
}

/** Records that the demo itself does not need, so that the pages of such records show one. */
async function fillPages({ origin, hash }) {
  const own = hash.slice('#key='.length);
  const admin = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  const post = async (path, body, token = own) => {
    const response = await fetch(`${origin}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const hour = 3_600_000;
  const now = Date.now();
  const [{ id: tenantId }] = (await post('tenant/search', {}, admin)).data;
  const addUser = (name, email) => post('user', { tenantId, name, email, roles: ['tenant-user'] }, admin);
  const users = [await addUser('Ann', 'ann@example.com'), await addUser('Ben', 'ben@example.com')];
  const { id: destinationId } = await post('destination', {
    type: 'HTTP',
    name: 'War room',
    uri: 'https://hooks.example.com/vigil',
  });
  const route = await post('route', { name: 'Everyone', destinationIds: [destinationId] });
  await post('route', {
    name: 'Grave ones',
    parentId: route.id,
    query: 'severity:CRITICAL',
    repeatSeconds: 900,
  });
  const ranges = [{ from: '08:00', to: '18:00' }];
  await post('timeset', { name: 'Office hours', zone: 'Europe/Paris', ranges });
  await post('silence', { query: 'name:"Coins received"', to: now + hour, reason: 'The treasury is moved.' });
  const [{ id: contractId }] = (await post('contract/search', { where: "name = 'Vault'" })).data;
  const expected = [{ kind: 'proxy_upgrade', values: { implementation: `0x${'5c'.repeat(20)}` } }];
  await post('plannedchange', {
    contractId,
    name: 'Vault moves to 2.1',
    from: now + hour,
    to: now + 3 * hour,
    expected,
  });
  const layers = [{ userIds: users.map(({ id }) => id), unit: 'DAYS', every: 1, start: now - hour }];
  const { id: scheduleId } = await post('schedule', { name: 'Rotation', zone: 'Europe/Paris', layers });
  await post('escalationchain', { name: 'Wake someone', steps: [{ scheduleId, waitMinutes: 5 }] });
}

async function takePictures(link, theme) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: theme,
    deviceScaleFactor: 1.25,
  });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  const taken = new Set();
  const open = (path) => page.goto(new URL(path, link).href);
  const rows = page.getByRole('grid', { name: 'Alerts' }).getByRole('row');

  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await take('overview');
  await open('/alerts?q=detectorSchemaName:(drain OR tvl_drop)');
  await rows.nth(1).click();
  await take('alerts');
  await page.getByRole('link', { name: 'Open as a page of its own' }).click();
  await page.waitForURL(/\/alert\//);
  await take('alert');
  const detector = await page.locator('a[href*="detector="]').first().getAttribute('href');
  await page.getByRole('link', { name: 'What happened inside' }).click();
  await page.getByRole('treeitem').first().waitFor();
  await take('trace');
  await page.goBack();
  await page.getByRole('link', { name: 'All alerts of this cause' }).click();
  await page.waitForURL(/\/incidents\//);
  await take('incident');
  await page.setViewportSize({ width: 390, height: 844 });
  await take('incident-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  // A contract whose holdings are sampled.
  await open('/alerts?q=detectorSchemaName:tvl_drop');
  await rows.nth(1).click();
  const contract = page.getByRole('dialog').locator('a[href*="/contracts/"]').first();
  await open(await contract.getAttribute('href'));
  await take('contract');
  await open(`/detectors/${/detector=(\d+)/.exec(detector)[1]}`);
  await take('detector');
  await open('/projects');
  await take('projects');
  await open('/projects/1');
  await take('project');
  await open('/admin/labels');
  await take('labels');
  for (const { path, picture } of consolePages) {
    if (taken.has(picture)) continue;
    await open(path);
    await take(picture);
  }
  await context.close();

  async function take(name) {
    taken.add(name);
    await page.getByRole('main').getByRole('heading').first().waitFor();
    await page.locator('[aria-busy], .skeleton').first().waitFor({ state: 'detached' });
    // The page of a live chain is never quite at rest.
    await page.waitForTimeout(1200);
    const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 78 });
    writeFileSync(join(folder, `${name}-${theme}.webp`), Buffer.from(data, 'base64'));
  }
}
