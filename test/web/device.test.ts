import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, watchFaults } from '../../testing/openBrowser.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from '../notify/support/notifyWorld.ts';
import { bytes, createBrowser, type PushService, startPushService } from '../notify/support/pushService.ts';
import { axeFaults } from './support/axeFaults.ts';
import { password, signIn } from './support/startConsole.ts';

let world: NotifyWorld;
let service: PushService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const faults: string[] = [];
const device = createBrowser();
/** The key that the page subscribed with. */
let subscribedWith = '';

beforeAll(async () => {
  const consoleFolder = new URL('../../dist/web/', import.meta.url);
  [world, service, browser] = await Promise.all([
    startNotifyWorld({ consoleFolder }),
    startPushService(() => bytes(subscribedWith)),
    openBrowser(),
  ]);
  const roles = ['tenant-manager'];
  await world.ok('POST', 'user', {
    tenantId: world.tenantId,
    name: 'Alice',
    email: 'alice@example.com',
    password,
    roles,
  });
  context = await browser.newContext({
    viewport: { width: 1366, height: 850 },
    permissions: ['notifications'],
  });
  context.setDefaultTimeout(60_000);
  // The push service of a browser is a third party, which no test may ask.
  await context.exposeFunction('noteKey', (key: string) => {
    subscribedWith = key;
  });
  await context.addInitScript(`
    const toBytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer;
    const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
      if (!userVisibleOnly) throw new Error('Browsers refuse a push that shows nothing.');
      await noteKey(toText(applicationServerKey));
      const keys = { p256dh: toBytes('${device.p256dh}'), auth: toBytes('${device.auth}') };
      return { endpoint: '${service.url}/send/phone', getKey: (name) => keys[name] };
    };`);
  page = await context.newPage();
  watchFaults(page, world.url, faults);
  await signIn(page, world.url, 'alice@example.com', '/oncall');
  await page.setViewportSize({ width: 390, height: 844 });
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
  await service?.close();
});

it('asks in place on a phone, subscribes it with a key of its own, and calls its person there', async () => {
  const card = page.getByRole('region', { name: 'This device' });
  await card.getByRole('button', { name: 'Notify this device' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await card.getByRole('button', { name: 'Notify this device' }).click();
  await page.getByText('This device is notified from now on.').waitFor();
  const pushed = await until(async () => service.pushed[0]);
  expect(JSON.parse(device.open(pushed.bytes))).toMatchObject({ title: 'Vigil can reach this destination' });
  const { data } = await world.ok('POST', 'destination/search', { where: "name LIKE '% on %'" });
  expect(data).toHaveLength(1);
  const { contacts } = await world.ok('GET', `contact?tenantId=${world.tenantId}`);
  expect(contacts.find(({ name }: { name: string }) => name === 'Alice').destinationIds).toEqual([
    data[0].id,
  ]);
});

it('can be installed, with a worker and files that the policy of the page allows', async () => {
  const href = await page.locator('link[rel=manifest]').getAttribute('href');
  const answer = await page.request.get(new URL(href!, world.url).href);
  expect(answer.headers()['content-type']).toBe('application/manifest+json');
  const manifest = (await answer.json()) as { icons: { src: string; type: string }[] };
  expect(manifest).toMatchObject({ name: 'Vigil', display: 'standalone', start_url: './' });
  for (const { src, type } of manifest.icons) {
    const icon = await page.request.get(new URL(src, world.url).href);
    expect([icon.status(), icon.headers()['content-type']]).toEqual([200, type]);
  }
  // By the page itself, whose policy must allow it.
  expect(await page.evaluate("fetch('./manifest.webmanifest').then(({ status }) => status)")).toBe(200);
  expect(await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')).toBe(
    `${world.url}/`,
  );
  expect(faults).toEqual([]);
});

it('shows a severe alert while the console is open in the background, as text, and leads to it', async () => {
  await page.evaluate(`
    window.shown = [];
    window.Notification = class {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      constructor(title, options) { this.title = title; Object.assign(this, options); window.shown.push(this); }
      addEventListener(type, listener) { this[type] = listener; }
      close() {}
    };
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });`);
  await page.getByLabel(/^Show HIGH and CRITICAL alerts/).check();
  const shown = async () => {
    await world.push({
      eid: `hidden-${Date.now()}`,
      severity: 'CRITICAL',
      name: 'Drained <b>',
      message: '<img src=x onerror=alert(1)>',
    });
    return page.evaluate('window.shown.map(({ title, body }) => [title, body])');
  };
  await expect
    .poll(shown, { timeout: 60_000, interval: 500 })
    .toContainEqual(['CRITICAL: Drained <b>', '<img src=x onerror=alert(1)>']);
  await page.evaluate('window.shown[0].click()');
  await page.waitForURL(/\/(incidents|alert)\//);
  expect(faults).toEqual([]);
});

describe('the worker of the console', () => {
  /** Hands a message to the registered worker, as the push service of a browser does. */
  async function push(data: string): Promise<void> {
    const devTools = await context.newCDPSession(page);
    const registration = new Promise<string>((resolve) => {
      devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [own] = registrations.filter(({ scopeURL }) => scopeURL === `${world.url}/`);
        if (own) resolve(own.registrationId);
      });
    });
    await devTools.send('ServiceWorker.enable');
    const registrationId = await registration;
    await devTools.send('ServiceWorker.deliverPushMessage', { origin: world.url, registrationId, data });
    await devTools.detach();
  }
  /** The screen of the system is a third party, and the Chromium of the package has none: what the worker shows on it is recorded. */
  const recordShown = () =>
    run(`self.shown = [];
      ServiceWorkerRegistration.prototype.showNotification = async (title, options) => { self.shown.push({ title, ...options }); };`);
  const run = (script: string) => context.serviceWorkers()[0]!.evaluate(script);
  const shown = () =>
    run(
      'self.shown.map(({ title, body, data, requireInteraction }) => [title, body, data.url, requireInteraction])',
    );
  /** Presses the notification that was shown last. */
  const press = () =>
    run(`{
      const event = new ExtendableEvent('notificationclick');
      // Only events of the browser itself may keep a worker alive.
      Object.defineProperties(event, {
        notification: { value: { ...self.shown.at(-1), close() { self.isClosed = true; } } },
        waitUntil: { value: (work) => work.catch(() => undefined) },
      });
      self.dispatchEvent(event);
    }`);

  it('shows what is pushed, as text, and something of a push that it cannot read', async () => {
    await page.goto(`${world.url}/oncall`);
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await recordShown();
    const title = 'CRITICAL: Drained <b>';
    const body = '<img src=x onerror=alert(1)>';
    const url = `${world.url}/alerts?q=pushed`;
    await push('{"title":');
    await expect.poll(shown, { timeout: 60_000 }).toEqual([['Vigil', '', '', false]]);
    await push(JSON.stringify({ title, body, url, tag: 'one', isUrgent: true }));
    await expect.poll(shown, { timeout: 60_000 }).toContainEqual([title, body, url, true]);
  });

  it('opens the link of a notification that is pressed, in the window that is there, and none of another origin', async () => {
    await press();
    await page.waitForURL(`${world.url}/alerts?q=pushed`);
    expect(await run('self.isClosed')).toBe(true);
    const elsewhere = 'https://elsewhere.example/steal';
    await push(JSON.stringify({ title: 'Elsewhere', url: elsewhere }));
    await expect.poll(shown, { timeout: 60_000 }).toContainEqual(['Elsewhere', '', elsewhere, false]);
    await press();
    await page.waitForURL(`${world.url}/`);
    expect(faults).toEqual([]);
  });
});
