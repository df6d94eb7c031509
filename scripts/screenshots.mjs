// `npm run screenshots`: runs the demo, waits for its alerts, and takes the pictures of the README from its console.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs', 'images');
mkdirSync(folder, { recursive: true });
const demo = spawn(process.execPath, [join(root, 'scripts', 'demo.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let browser;
try {
  const link = await waitForAlerts(demo.stdout);
  const { openBrowser } = await importTyped(join('testing', 'openBrowser.ts'));
  browser = await openBrowser({ isWhole: true });
  for (const theme of ['light', 'dark']) await takePictures(link, theme);
} finally {
  await browser?.close();
  demo.kill('SIGINT');
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

async function takePictures(link, theme) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: theme,
    deviceScaleFactor: 1.5,
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await take('overview');
  await page.goto(new URL('/alerts?q=detectorSchemaName:(drain OR tvl_drop)', link).href);
  await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).click();
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
  // One whose holdings are sampled.
  await page.goto(new URL('/alerts?q=detectorSchemaName:tvl_drop', link).href);
  await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).click();
  const contract = await page
    .getByRole('dialog')
    .locator('a[href*="/contracts/"]')
    .first()
    .getAttribute('href');
  await page.goto(new URL(contract, link).href);
  await take('contract');
  await page.goto(new URL(`/detectors/${/detector=(\d+)/.exec(detector)[1]}`, link).href);
  await take('detector');
  await page.goto(new URL('/oncall', link).href);
  await take('on-call');
  await context.close();

  async function take(name) {
    // The page of a live chain is never quite at rest.
    await page.waitForTimeout(2500);
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  }
}
