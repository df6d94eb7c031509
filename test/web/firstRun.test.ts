import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { axeFaults } from './support/axeFaults.ts';
import { type Console, fillForm, password, startConsole } from './support/startConsole.ts';

/** On a busy machine. */
const patient = { timeout: 60_000 };
let world: Console;
let token: Contract;
let admin: Page;

const dialog = () => admin.getByRole('dialog').last();
const menu = () => admin.getByLabel('Tenant', { exact: true });
const press = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).click();
const goTo = (page: string) =>
  admin.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: page }).click();
const section = (name: string) =>
  admin.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name, exact: true }).click();
const row = (text: string) => admin.getByRole('row').filter({ hasText: text });
/** The member of a form that has the keyboard. */
const focused = () => admin.evaluate('document.activeElement.closest(".field")?.dataset.pointer');
const chosen = () => menu().locator('option:checked').textContent();
const found = async (kind: string): Promise<Json[]> =>
  (await world.vigil.ok('POST', `${kind}/search`, { size: 100 })).data;

beforeAll(async () => {
  world = await startConsole();
  token = await world.anvil.deploy(artifacts.Token, 'Vigil', 'VGL', 18, 10n ** 24n);
});
afterEach(() => expect(world.faults).toEqual([]));
afterAll(() => world?.stop());

describe('the first run', () => {
  it('leads by clicks alone from the set-up link to the first alert, and loses nothing that was typed', async () => {
    admin = await world.openPage();
    await admin.goto(/http\S+\/setup#\S+/.exec(world.vigil.stdout())![0]);
    await admin.getByLabel('Your name').fill('Root');
    await admin.getByLabel('E-mail address').fill('root@example.com');
    await admin.getByLabel('Password').fill(password);
    await press(admin, 'Start');

    await admin.getByRole('link', { name: 'Connect a chain' }).click();
    await dialog().getByLabel('Chain').selectOption('anvil');
    await dialog().getByLabel('Address').fill(world.anvil.url);
    await press(dialog(), 'Add endpoint');
    await admin.getByText('Added the endpoint.').waitFor();

    // The tenant is not made yet: it is asked for where it is missing.
    await goTo('Overview');
    await admin.getByRole('list').getByRole('link', { name: 'Watch a contract' }).click();
    await dialog().getByLabel('Address').fill(token.address);
    await dialog()
      .getByRole('radio', { name: /^Vigil \(VGL\) on/ })
      .waitFor();
    await dialog().getByLabel('Name', { exact: true }).fill('Our token');
    await press(dialog(), 'Watch it');
    await dialog().getByText('One value does not fit: Tenant').waitFor();
    await expect.poll(focused, patient).toBe('/tenantId');
    expect(await axeFaults(admin)).toEqual([]);
    await press(dialog(), 'New tenant');
    await dialog().getByLabel('Name of the new tenant').fill('Acme');
    await press(dialog(), 'Create tenant');
    await expect.poll(chosen, patient).toBe('Acme');
    expect(await dialog().getByLabel('Address').inputValue()).toBe(token.address);
    expect(await dialog().getByLabel('Name', { exact: true }).inputValue()).toBe('Our token');
    await press(dialog(), 'Watch it');
    await admin.getByRole('heading', { name: 'Our token' }).waitFor();
    await admin.getByRole('button', { name: /^Enable \d+$/ }).click();
    await admin.getByText(/Enabled \d+ detectors/).waitFor();

    await goTo('Overview');
    await admin.getByRole('link', { name: 'Add a destination' }).click();
    await fillForm(dialog(), { '/type': 'Webhook', '/uri': `${world.sink.url}/hook` });
    await press(dialog(), 'Create destination');
    await row('/hook').waitFor();
    await goTo('Overview');
    await admin.getByRole('heading', { name: 'Overview' }).waitFor();
    await expect.poll(() => admin.getByRole('heading', { name: 'Get started' }).count(), patient).toBe(0);

    await token.send(world.anvil.accounts[0], 'pause');
    await until(async () => (await world.vigil.ok('POST', 'alert/search', { query: '' })).data.length > 0);
    await goTo('Alerts');
    await row('paused').first().click();
    await admin.getByText('What to do next').waitFor();
    await press(dialog(), 'Close');
  });

  it('has a new tenant chosen and in every menu at once, and a renamed or deleted one as it is now', async () => {
    await goTo('Administration');
    await section('Tenants');
    await press(admin, 'New tenant');
    await fillForm(dialog(), { '/name': 'Beta' });
    await press(dialog(), 'Create tenant');
    await expect.poll(chosen, patient).toBe('Beta');
    await row('Beta').click();
    await fillForm(dialog(), { '/name': 'Gamma' });
    await press(dialog(), 'Save');
    await expect.poll(chosen, patient).toBe('Gamma');
    await section('Users');
    await admin.getByRole('button', { name: 'New user' }).first().click();
    await expect
      .poll(() => dialog().locator('[data-pointer="/tenantId"] option:checked').textContent(), patient)
      .toBe('Gamma');
    await press(dialog(), 'Cancel');
    await section('Tenants');
    await row('Gamma').click();
    await press(dialog(), 'Delete tenant');
    await press(dialog(), 'Delete tenant');
    await admin.getByText('Deleted the tenant.').waitFor();
    await expect.poll(() => menu().locator('option').allTextContents(), patient).not.toContain('Gamma');
    await menu().selectOption({ label: 'Acme' });
  });
});

describe('a form that is refused', () => {
  it('brings its first fault into view, counts them at the button, and takes them away as they are corrected', async () => {
    await menu().selectOption({ label: 'All tenants' });
    await goTo('Contracts');
    await admin.getByRole('button', { name: 'New project' }).first().click();
    await dialog().getByText('More options').click();
    await fillForm(dialog(), { '/name': ' ', '/icon': 'nowhere' });
    const at = (pointer: string) => dialog().locator(`[data-pointer="${pointer}"]`);
    await press(dialog(), 'Create project');
    await dialog().getByText('2 values do not fit: Name, Icon').waitFor();
    await expect.poll(focused, patient).toBe('/name');
    expect(await axeFaults(admin)).toEqual([]);
    await at('/name').locator('input').fill('Second');
    await dialog().getByText('One value does not fit: Icon').waitFor();
    expect(await at('/name').locator('.fault').count()).toBe(0);
    await dialog().getByRole('alert').getByRole('button', { name: 'Icon' }).click();
    await expect.poll(focused, patient).toBe('/icon');
    await at('/icon').locator('input').fill('https://example.com/icon.png');
    await dialog().getByRole('alert').waitFor({ state: 'detached' });
    await press(dialog(), 'Create project');
    // An administrator who looks at all tenants is asked for one.
    await dialog().getByText('One value does not fit: Tenant').waitFor();
    await expect.poll(focused, patient).toBe('/tenantId');
    await at('/tenantId').locator('select').selectOption({ label: 'Acme' });
    await press(dialog(), 'Create project');
    await admin.getByText('Created the project.').waitFor();
  });

  it('is not sent while it holds what cannot be read, which stays in its box', async () => {
    await admin.getByRole('button', { name: 'New project' }).first().click();
    await dialog().locator('[data-pointer="/tenantId"] select').selectOption({ label: 'Acme' });
    await fillForm(dialog(), { '/name': 'Third' });
    await dialog().getByText('More options').click();
    const json = dialog().getByPlaceholder('JSON').first();
    await json.fill('1, 2');
    await press(dialog(), 'Create project');
    await dialog()
      .getByText(/^One value does not fit/)
      .waitFor();
    expect(await json.inputValue()).toBe('1, 2');
    expect((await found('project')).map(({ name }) => name)).not.toContain('Third');
    await json.fill('{"a": 1}');
    await press(dialog(), 'Create project');
    await expect
      .poll(async () => (await found('project')).map(({ name }) => name), patient)
      .toContain('Third');
  });

  it('asks before it is left with changes, by Escape, by a link and by the way back', async () => {
    const question = admin.getByRole('dialog', { name: 'Leave without saving?' });
    await admin.getByRole('button', { name: 'New project' }).first().click();
    await fillForm(dialog(), { '/name': 'Half typed' });
    await admin.keyboard.press('Escape');
    await question.waitFor();
    expect(await axeFaults(admin)).toEqual([]);
    await press(question, 'Go on editing');
    expect(await dialog().locator('[data-pointer="/name"] input').inputValue()).toBe('Half typed');
    await press(dialog(), 'Cancel');
    await press(question, 'Discard the changes');
    await dialog().waitFor({ state: 'detached' });

    await goTo('Detectors');
    await row('Ownership change').click();
    const name = admin.locator('[data-pointer="/name"] input');
    await name.fill('Owner watch');
    await goTo('Overview');
    await question.waitFor();
    await press(question, 'Go on editing');
    await admin.goBack();
    await question.waitFor();
    await press(question, 'Go on editing');
    expect(await name.inputValue()).toBe('Owner watch');
    await press(admin, 'Save');
    await admin.getByText('Saved the detector.').waitFor();
    await goTo('Detectors');
    await row('Owner watch').waitFor();
  });
});

describe('a chain whose node is gone', () => {
  it('is named on every page and under what needs attention, with since when and why', async () => {
    await world.anvil.stop();
    const mark = admin.getByRole('link', { name: 'Anvil: not seen' });
    await mark.waitFor();
    await goTo('Overview');
    const attention = admin.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: 'Anvil' }).waitFor();
    await attention.getByText(/^since /).waitFor();
    await attention.getByText(/The only node of the chain gave/).waitFor();
    await admin.getByRole('region', { name: 'Chains' }).getByText('not seen').waitFor();
    expect(await axeFaults(admin)).toEqual([]);
    await attention.getByRole('link', { name: 'Anvil' }).click();
    await dialog()
      .getByText(/last fault/)
      .waitFor();
    await dialog().getByText('Nothing was seen since').waitFor();
  });
});
