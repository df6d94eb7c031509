import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { addSource } from '../../testing/addSource.ts';
import { openBrowser, watchFaults } from '../../testing/openBrowser.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { axeFaults } from './support/axeFaults.ts';
import { fillForm, password, signIn } from './support/startConsole.ts';

/** On a busy machine. */
const patient = { timeout: 60_000 };
const script = 'e.args.amount > 1000000n && e.from !== e.to && e.blockNumber > 0';

let api: TestApi;
let browser: Browser;
let context: BrowserContext;
let schemaId: number;
let contractId: number;
const faults: string[] = [];

beforeAll(async () => {
  const consoleFolder = new URL('../../dist/web/', import.meta.url);
  [api, browser] = await Promise.all([startTestApi({ consoleFolder }), openBrowser()]);
  await publishDetectors(api.store, api.services.now());
  const { id: tenantId } = await api.ok('POST', 'tenant', { name: 'Acme' });
  ({ contractId } = await addSource(api, tenantId));
  const found = await api.ok('POST', 'detector/schema/search', { where: "name = 'custom_event'", size: 1 });
  schemaId = found.data[0].id;
  await api.ok('POST', 'user', {
    tenantId,
    name: 'Alice',
    email: 'alice@example.com',
    password,
    roles: ['tenant-manager'],
  });
  context = await browser.newContext({ viewport: { width: 1366, height: 850 }, colorScheme: 'dark' });
  context.setDefaultTimeout(60_000);
  await signIn(await context.newPage(), api.url, 'alice@example.com');
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

/** The form of a new detector of an event, with its editor open and empty. */
async function openEditor(): Promise<{ page: Page; editor: Locator }> {
  const page = await context.newPage();
  watchFaults(page, api.url, faults);
  await page.goto(`${api.url}/detectors/new?schema=${schemaId}&contract=${contractId}`);
  await fillForm(page, { '/config/signature': 'Deposit(address indexed user, uint256 amount)' });
  const editor = page.locator('[data-pointer="/config/expression"] .cm-content');
  await editor.waitFor();
  return { page, editor };
}

const textOf = async (editor: Locator) => (await editor.locator('.cm-line').allTextContents()).join('\n');

describe('the editor of scripts', () => {
  for (const [name, delay] of [
    ['at once', 0],
    ['5 ms apart', 5],
    ['25 ms apart', 25],
  ] as const)
    it(`keeps what is typed with keys that come ${name}`, async () => {
      const { page, editor } = await openEditor();
      await editor.focus();
      await page.keyboard.type(script, { delay });
      await expect.poll(() => textOf(editor), patient).toBe(script);
      expect(await page.getByRole('button', { name: 'Create detector' }).isEnabled()).toBe(true);
      await page.close();
    });

  it('keeps what is typed on a slow page, and what is pasted', async () => {
    const { page, editor } = await openEditor();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await editor.focus();
    await page.keyboard.type(script.slice(0, 30), { delay: 5 });
    await page.keyboard.insertText(script.slice(30));
    await expect.poll(() => textOf(editor), patient).toBe(script);
    await page.close();
  });

  it('goes on where the box was that stands in for it, when its code comes while someone types', async () => {
    const page = await context.newPage();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/openEditor/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${api.url}/detectors/new?schema=${schemaId}&contract=${contractId}`);
    const field = page.locator('[data-pointer="/config/expression"]');
    await field.locator('textarea').focus();
    await page.keyboard.type('e.value ');
    release();
    await field.locator('.cm-content').waitFor();
    await page.keyboard.type('> 1n');
    await expect.poll(() => textOf(field.locator('.cm-content')), patient).toBe('e.value > 1n');
    await page.close();
  });

  it('completes members of the event and the parameters of its signature', async () => {
    const { page, editor } = await openEditor();
    await editor.focus();
    await page.keyboard.type('e.args.', { delay: 30 });
    const options = page.locator('[data-pointer="/config/expression"] [role=option]');
    await expect
      .poll(async () => (await options.allTextContents()).join(), patient)
      .toBe('e.args.amountuint256,e.args.useraddress');
    await page.keyboard.type('am', { delay: 30 });
    await expect.poll(() => options.count(), patient).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(editor), patient).toBe('e.args.amount');
    expect(await axeFaults(page)).toEqual([]);
    await page.close();
  });

  it('has a misspelt member refused when the detector is saved, with the name that was meant', async () => {
    const { page, editor } = await openEditor();
    await editor.fill('e.args.amout > 1000000n');
    await page.getByRole('button', { name: 'Create detector' }).click();
    const field = page.locator('[data-pointer="/config/expression"]');
    await field.getByText('did you mean e.args.amount?').waitFor();
    await page.getByText('One value does not fit: Expression').waitFor();
    await editor.fill('e.args.amount > 1000000n');
    await page.getByText('One value does not fit').waitFor({ state: 'hidden' });
    expect(await field.locator('.fault').count()).toBe(0);
    await page.getByRole('button', { name: 'Create detector' }).click();
    await page.getByText('Created the detector.').waitFor();
    await page.close();
  });

  it('can be read in the dark', async () => {
    const { page, editor } = await openEditor();
    await editor.fill(
      "const a = 'text', b = 12n, c = /x/, d = true; // why\nfunction f(x) { return e.from }",
    );
    await expect.poll(() => editor.locator('.cm-line span').count(), patient).toBeGreaterThan(8);
    const background = await editor.evaluate(backgroundOf);
    const colors = await editor.locator('.cm-line span').evaluateAll(colorsOf);
    for (const color of colors) expect(contrast(color, background), color).toBeGreaterThanOrEqual(4.5);
    await page.close();
    expect(faults).toEqual([]);
  });
});

type Styled = { parentElement: Styled | null; getRootNode(): { host?: Styled } };
declare const getComputedStyle: (element: Styled) => { color: string; backgroundColor: string };

/** Runs on the page. */
function colorsOf(spans: Styled[]): string[] {
  return spans.map((span) => getComputedStyle(span).color);
}

/** Runs on the page. */
function backgroundOf(element: Styled): string {
  for (let at: Styled | null | undefined = element; at; at = at.parentElement ?? at.getRootNode().host) {
    const { backgroundColor } = getComputedStyle(at);
    if (!/^rgba\(.*, 0\)$/.test(backgroundColor)) return backgroundColor;
  }
  return 'rgb(255, 255, 255)';
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
