import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSetupCode } from '../../src/services/accounts/setUp.ts';
import { openBrowser, watchFaults } from '../../testing/openBrowser.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { password } from './support/startConsole.ts';

let api: TestApi;
let browser: Browser;
const faults: string[] = [];
beforeAll(async () => {
  const consoleFolder = new URL('../../dist/web/', import.meta.url);
  [api, browser] = await Promise.all([startTestApi({ consoleFolder }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

/** Another computer. */
async function openPage(path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  watchFaults(page, api.url, faults);
  await page.goto(api.url + path);
  return page;
}

const createCode = () => createSetupCode(api.store, api.services.now());

async function start(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Root');
  await page.getByLabel('E-mail address').fill('root@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Start' }).click();
}

it('shows only the set-up page until there is an administrator, whom its link makes once and within an hour', async () => {
  const expiring = await createCode();
  for (const path of ['/', '/alerts', '/admin/users']) {
    const page = await openPage(path);
    await page.getByRole('heading', { name: 'Welcome to Vigil' }).waitFor();
    await page.getByText('Open the set-up link that Vigil printed').waitFor();
    expect(await page.getByRole('navigation').count(), path).toBe(0);
    expect(await page.getByRole('textbox').count(), path).toBe(0);
    await page.context().close();
  }

  const late = await openPage(`/setup#${expiring}`);
  api.advance(3_600_001);
  await start(late);
  await late.getByRole('alert').filter({ hasText: 'has expired or was used already' }).waitFor();
  expect(await late.getByLabel('Your name').inputValue()).toBe('Root');

  const link = `/setup#${await createCode()}`;
  const first = await openPage(link);
  await start(first);
  await first.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(new URL(first.url()).hash).toBe('');

  const second = await openPage(link);
  await start(second);
  await second.getByRole('alert').filter({ hasText: 'has expired or was used already' }).waitFor();
  await second.goto(`${api.url}/alerts`);
  await second.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor();
  const { data } = await api.ok('POST', 'user/search', {});
  expect(data).toMatchObject([{ email: 'root@example.com', roles: ['admin'] }]);
  expect(faults).toEqual([]);
});
