import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../sdk/src/index.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { axeFaults } from './support/axeFaults.ts';
import { type Console, createRecord, fillForm, go, password, startConsole } from './support/startConsole.ts';

/** On a busy machine. */
const patient = { timeout: 60_000 };
/** One person after the other uses one Vigil; each journey goes on from what those before it have left. */
let world: Console;
let token: Contract;
let vault: Contract;
/** The administrator's page, and that of a manager of the tenant. */
let admin: Page;
let alice: Page;
let tenantId: number;
let tokenId: number;
let vaultId: number;
let opened = 0;
let counted = 0;

const api = (method: string, path: string, body?: unknown): Promise<Json> =>
  world.vigil.ok(method, path, body);
const found = async (kind: string, where: string): Promise<Json[]> =>
  (await api('POST', `${kind}/search`, { where, size: 100 })).data;
const one = async (kind: string, where: string): Promise<Json> => {
  const rows = await found(kind, where);
  expect(rows, `${kind} where ${where}`).toHaveLength(1);
  return rows[0]!;
};
const alertsOf = async (query: string): Promise<Json[]> =>
  (await api('POST', 'alert/search', { query, size: 100 })).data;
/** As one press of a link does. */
const open = (page: Page, path: string) => {
  opened++;
  return go(page, world.vigil.url + path);
};
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog').last();
const press = (within: Page | ReturnType<typeof dialog>, name: string) =>
  within.getByRole('button', { name, exact: true }).click();

beforeAll(async () => {
  world = await startConsole();
  const { anvil } = world;
  token = await anvil.deploy(artifacts.Token, 'Vigil', 'VGL', 18, 10n ** 24n);
  vault = await anvil.deploy(artifacts.VaultV1);
  await token.send(anvil.accounts[0], 'transfer', anvil.accounts[1], 5000n * 10n ** 18n);
});
afterEach(({ task }) => {
  const presses = world.clicks() + opened;
  console.log(`${presses - counted} presses: ${task.name}`);
  counted = presses;
  expect(world.faults).toEqual([]);
});
afterAll(() => world?.stop());

describe('the first quarter of an hour', () => {
  it('begins with the link that the first start prints, which works once', async () => {
    const link = /http\S+\/setup#\S+/.exec(world.vigil.stdout())![0];
    admin = await world.openPage();
    for (const page of [admin, await world.openPage()]) {
      await page.goto(link);
      await page.getByLabel('Your name').fill('Root');
      await page.getByLabel('E-mail address').fill('root@example.com');
      await page.getByLabel('Password').fill(password);
      await press(page, 'Start');
      if (page === admin) await page.getByRole('heading', { name: 'Overview' }).waitFor();
      else await page.getByRole('alert').waitFor();
    }
    expect((await one('user', "email = 'root@example.com'")).roles).toEqual(['admin']);
  });

  it('connects a chain, after it has said what the endpoint can do', async () => {
    await admin.getByRole('link', { name: 'Connect a chain' }).click();
    await dialog(admin).getByLabel('Chain').selectOption('anvil');
    await dialog(admin).getByLabel('Address').fill('http://127.0.0.1:1');
    await press(dialog(admin), 'Add endpoint');
    await dialog(admin).locator('.fault').waitFor();
    await dialog(admin).getByLabel('Address').fill(world.anvil.url);
    await dialog(admin).getByLabel('Name').fill('Own node');
    await press(dialog(admin), 'Try it');
    await dialog(admin).getByText('can be used', { exact: true }).waitFor();
    await dialog(admin).getByText('31337').waitFor();
    await press(dialog(admin), 'Add endpoint');
    await row(admin, 'followed').waitFor();
    const listed = async () => (await api('GET', 'chain/anvil/endpoint')).data;
    expect(await listed()).toMatchObject([{ name: 'Own node', isFixed: false, status: 'ACTIVE' }]);
    await row(admin, 'followed').click();
    await press(dialog(admin), 'Edit');
    await dialog(admin).getByLabel('Name').fill('Node of ours');
    await press(dialog(admin), 'Save');
    await dialog(admin).getByText('Node of ours').waitFor();
    expect(await listed()).toMatchObject([{ name: 'Node of ours' }]);
    expect(await axeFaults(admin)).toEqual([]);
  });

  it('leads from the checklist to a tenant', async () => {
    await open(admin, '/');
    await admin.getByRole('link', { name: 'Create a tenant' }).click();
    await fillForm(dialog(admin), { '/name': 'Acme' });
    await press(dialog(admin), 'Create tenant');
    await row(admin, 'Acme').waitFor();
    tenantId = (await one('tenant', "name = 'Acme'")).id;
    await admin.reload();
    await admin.getByLabel('Tenant', { exact: true }).selectOption({ label: 'Acme' });
  });

  it('finds what stands at a pasted address, recommends detectors, and enables them in one press', async () => {
    await open(admin, '/');
    await admin.getByRole('link', { name: 'Watch a contract' }).first().click();
    await dialog(admin).getByLabel('Address').fill(token.address);
    const choice = dialog(admin).getByRole('radio', { name: /^Vigil \(VGL\) on/ });
    await choice.waitFor();
    await dialog(admin).getByText('has an owner').waitFor();
    expect(await choice.isChecked()).toBe(true);
    expect(await axeFaults(admin)).toEqual([]);
    await press(dialog(admin), 'Watch it');
    await admin.getByRole('heading', { name: 'Vigil (VGL)' }).waitFor();
    const offer = admin.getByRole('checkbox', { name: /Large transfer.*10000/ });
    await offer.waitFor();
    expect(await offer.isChecked()).toBe(true);
    expect(await axeFaults(admin)).toEqual([]);
    await admin.getByRole('checkbox', { name: /Mixer/ }).uncheck();
    await admin.getByRole('button', { name: /^Enable \d+$/ }).click();
    await admin.getByText(/Enabled \d+ detectors/).waitFor();
    const contract = await one('contract', `address = '${token.address}'`);
    tokenId = contract.id;
    expect(contract).toMatchObject({ chainUid: 'anvil', addressType: 'CONTRACT', name: 'Vigil (VGL)' });
    const names = (await found('detector', `contractId = ${tokenId}`)).map(({ schema }) => schema.name);
    expect(names).toEqual(expect.arrayContaining(['ownership_change', 'pause_state', 'large_transfer']));
    expect(names).not.toContain('mixer_funding');
  });

  it('ends with an alert of the chain on the page of the contract', async () => {
    await token.send(world.anvil.accounts[0], 'pause');
    const [alert] = await until(async () => {
      const alerts = await alertsOf(`contractId:${tokenId}`);
      return alerts.length > 0 ? alerts : undefined;
    });
    // At once, because no later test can use a paused token.
    await token.send(world.anvil.accounts[0], 'unpause');
    await open(admin, `/contracts/${tokenId}`);
    const facts = admin.getByRole('region', { name: 'Facts' });
    await facts.getByText('no change seen since it is watched').first().waitFor();
    await facts.locator('dt:text-is("Paused") + dd', { hasText: 'no' }).waitFor();
    // That it goes on is not reported, so that no alert says since when.
    await facts.locator('dt:text-is("Paused") + dd', { hasText: 'changed after' }).waitFor();
    await admin.getByText('Recommended but not enabled').waitFor();
    await admin.getByRole('heading', { name: /^Holdings and alerts of the last/ }).waitFor();
    expect(await axeFaults(admin)).toEqual([]);
    await admin.locator(`a[href$="alert=${encodeURIComponent(alert!.uid)}"]`).click();
    await admin.getByText('What to do next').waitFor();
  });

  it('takes a wallet for what has no code', async () => {
    await open(admin, '/projects?add=1');
    await dialog(admin).getByLabel('Address').fill(world.anvil.accounts[5]);
    await dialog(admin).getByText('There is no contract at this address').waitFor();
    await dialog(admin).getByLabel('Name').fill('Treasury');
    await press(dialog(admin), 'Watch it');
    await admin.getByRole('heading', { name: 'Treasury' }).waitFor();
    expect((await one('contract', "name = 'Treasury'")).addressType).toBe('WALLET');
  });
});

describe('administration', () => {
  it('makes users, who sign in with their roles', async () => {
    await open(admin, '/admin/users');
    for (const name of ['alice', 'bob']) {
      await admin.getByRole('button', { name: 'New user' }).first().click();
      await fillForm(dialog(admin), {
        '/email': `${name}@example.com`,
        '/name': name,
        '/password': password,
      });
      await dialog(admin).getByLabel('tenant-manager').check();
      await press(dialog(admin), 'Create user');
      await row(admin, `${name}@example.com`).waitFor();
    }
    expect(await one('user', "email = 'alice@example.com'")).toMatchObject({
      tenantId,
      roles: ['tenant-manager'],
    });
    alice = await world.signIn('alice@example.com');
  });

  it('makes plans, and gives a tenant one for a time', async () => {
    await open(admin, '/admin/plans');
    const limits = [
      'Users',
      'Contracts',
      'Projects',
      'Triggers',
      'Detectors',
      'Wallets',
      'Actions',
      'ApiKeys',
    ];
    await createRecord(admin, 'plan', {
      '/name': 'Team',
      ...Object.fromEntries(limits.map((name) => [`/max${name}`, '40'])),
    });
    await open(admin, '/admin/subscriptions');
    await createRecord(admin, 'subscription', { '/planId': 'Team', '/expirationDate': '2099-01-01' });
    expect(await one('subscription', `tenantId = ${tenantId}`)).toMatchObject({
      plan: { name: 'Team' },
      expirationDate: Date.UTC(2099, 0, 1),
    });
    await open(alice, '/');
    await alice.getByRole('heading', { name: 'Plan Team' }).waitFor();
  });

  it('makes an API key that works, is shown once, and ends when it is deleted', async () => {
    await open(alice, '/admin/apikeys');
    await alice.getByRole('button', { name: 'New key' }).first().click();
    await fillForm(dialog(alice), { '/label': 'ci' });
    await dialog(alice).getByLabel('tenant-viewer').check();
    await press(dialog(alice), 'Create key');
    const secret = (await dialog(alice).locator('code:not(.hint code)').textContent())!;
    const ask = () => world.vigil.call('GET', 'auth/me', undefined, { token: secret });
    expect((await ask()).body).toMatchObject({ tenantId, roles: ['tenant-viewer'] });
    await press(dialog(alice), 'Close');
    await row(alice, 'ci').click();
    await press(dialog(alice), 'Delete key');
    await press(dialog(alice), 'Delete key');
    await alice.getByText('Deleted the key.').waitFor();
    expect((await ask()).status).toBe(401);
  });

  it('invites someone by a link', async () => {
    await open(alice, '/admin/invites');
    await alice.getByRole('button', { name: 'New invite' }).first().click();
    await fillForm(dialog(alice), { '/email': 'ivy@example.com' });
    await dialog(alice).getByLabel('tenant-viewer').check();
    await press(dialog(alice), 'Create invite');
    const link = (await dialog(alice).locator('code:not(.hint code)').textContent())!;
    expect(link).toContain(`${world.vigil.url}/accept-invite?invite=`);
    const ivy = await world.openPage();
    await ivy.goto(link);
    await ivy.getByLabel('Your name').fill('Ivy');
    await ivy.getByLabel('Password').fill(password);
    await press(ivy, 'Start');
    await ivy.getByRole('heading', { name: 'Overview' }).waitFor();
    expect((await one('user', "email = 'ivy@example.com'")).roles).toEqual(['tenant-viewer']);
    await ivy.context().close();
  });

  it('imports labels, names the lines that do not fit, and edits one', async () => {
    await open(alice, '/admin/labels');
    await press(alice, 'Import');
    const [, , thief] = world.anvil.accounts;
    await dialog(alice)
      .locator('textarea')
      .fill(`address,score,tags,name\n${thief},90,MIXER,Thief\nnonsense,1,A,B`);
    await press(dialog(alice), 'Import');
    await dialog(alice).getByText('1 new').waitFor();
    await dialog(alice)
      .getByText(/^Line \d+:/)
      .waitFor();
    await press(dialog(alice), 'Close');
    await row(alice, 'Thief').click();
    await fillForm(dialog(alice), { '/name': 'Known thief' });
    await press(dialog(alice), 'Save');
    await row(alice, 'Known thief').waitFor();
    expect(await one('label', "name = 'Known thief'")).toMatchObject({
      score: 90,
      tags: ['MIXER'],
      tenantId,
    });
  });

  it('ends a session elsewhere, and changes the password', async () => {
    const elsewhere = await world.signIn('alice@example.com');
    await open(alice, '/admin/security');
    await alice.getByRole('button', { name: 'End', exact: true }).first().click();
    await alice.getByText('Ended the session.').waitFor();
    await elsewhere.reload();
    await elsewhere.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor();
    await elsewhere.context().close();
    const next = `${password} again`;
    await alice.getByLabel('Present password').fill(password);
    await alice.getByLabel('New password').fill(next);
    await press(alice, 'Change the password');
    await alice.getByText('Changed the password.').waitFor();
    const login = (text: string) =>
      world.vigil.call('POST', 'auth/login', { email: 'alice@example.com', password: text }, { token: null });
    expect([(await login(password)).status, (await login(next)).status]).toEqual([401, 200]);
  });

  it('shows chains, telemetry, and an audit log whose signature the browser checks', async () => {
    await open(admin, '/admin/chains');
    await row(admin, 'Anvil').click();
    await dialog(admin).getByText(new URL(world.anvil.url).host).first().waitFor();
    await open(admin, '/admin/telemetry');
    await admin
      .getByText(/in all|Nothing was recorded/)
      .first()
      .waitFor();
    await open(admin, '/admin/audit');
    await row(admin, 'create').first().waitFor();
    await press(admin, 'Verify');
    await dialog(admin).getByText('signature holds').waitFor();
  });
});

describe('detectors and triggers', () => {
  it('go from the catalogue through a backtest to a stored detector', async () => {
    await open(alice, '/catalogue');
    await alice.getByLabel('Search the catalogue').fill('large transfer');
    await alice.getByRole('link', { name: 'Use it: Large transfer' }).click();
    // The contract, which says whose blocks to look at, comes late; the backtest begins by itself then.
    await alice.route(/\/contract\/\d+$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await fillForm(alice, { '/contractId': 'Vigil (VGL)', '/name': 'Whales', '/config/threshold': '4000' });
    await alice
      .getByRole('region', { name: 'Backtest' })
      .getByText(/^[12] alerts? in \d+ blocks/)
      .waitFor();
    await alice.unroute(/\/contract\/\d+$/);
    const result = alice.getByRole('region', { name: 'Backtest' });
    // A bar shows its alerts, and an alert what it would have carried.
    await result
      .getByRole('button', { name: /^[12] alerts? on / })
      .first()
      .click();
    await result.getByRole('listitem').locator('summary').first().click();
    await result.locator('dl.evidence dt').first().waitFor();
    expect(await axeFaults(alice)).toEqual([]);
    await fillForm(alice, { '/config/threshold': '6000000' });
    await result.getByText(/^0 alerts in \d+ blocks/).waitFor();
    await alice
      .getByRole('status', { name: 'Alerts of the backtest' })
      .getByText(/^0 alerts in the last/)
      .waitFor();
    await fillForm(alice, { '/config/threshold': '6000' });
    await press(alice, 'Create detector');
    await alice.getByRole('heading', { name: 'Whales', exact: true }).waitFor();
    expect(await one('detector', "name = 'Whales'")).toMatchObject({
      contractId: tokenId,
      config: { threshold: '6000' },
      status: 'ACTIVE',
    });
    // What saving would change, before it is saved.
    await fillForm(alice, { '/config/threshold': '7000', '/name': 'Big whales' });
    const changes = alice.locator('.form-changes');
    await changes.getByText('2 changes to save').waitFor();
    expect(await changes.locator('dt').allTextContents()).toEqual(['Name', 'Configuration › Threshold']);
    expect(await changes.locator('del, ins').allTextContents()).toEqual([
      'Whales',
      'Big whales',
      '6000',
      '7000',
    ]);
    await fillForm(alice, { '/config/threshold': '6000', '/name': 'Whales' });
    await changes.waitFor({ state: 'detached' });
  });

  it('say what a share is in tokens, and render the code in their hints', async () => {
    const schema = await one('detector/schema', "name = 'tvl_drop'");
    await open(alice, `/detectors/new?schema=${schema.id}&contract=${tokenId}`);
    const native = alice.locator('[data-pointer="/config/nativeThreshold"]');
    await native.locator('input').fill('10%');
    await native.getByText(/^10 % of [\d.,]+ ETH = [\d.,]+ ETH$/).waitFor();
    await alice.locator('.hint code', { hasText: 'cron' }).first().waitFor({ state: 'attached' });
    expect(await alice.locator('.hint').filter({ hasText: '`' }).count()).toBe(0);
    expect(await axeFaults(alice)).toEqual([]);
    // A form that is left half filled would ask before the next page.
    await native.locator('input').fill('');
  });

  it('say how often a condition on a value is reported, and keep what was stored before', async () => {
    const [schema] = (
      await api('POST', 'detector/schema/search', { where: "name = 'contract_call'", size: 1 })
    ).data;
    await open(alice, `/detectors/new?schema=${schema.id}&contract=${tokenId}`);
    await fillForm(alice, {
      '/name': 'Supply',
      '/config/function': 'totalSupply()(uint256)',
      '/config/condition': '> 20',
    });
    await alice.getByText('More options').first().click();
    const repeat = alice.locator('[data-pointer="/config/repeat"]');
    expect(await repeat.locator('option:checked').textContent()).toBe('Once, when it begins to hold');
    await repeat.getByRole('combobox').selectOption({ label: 'Again after a time while it holds' });
    await repeat.getByLabel('after').fill('2 h');
    expect(await axeFaults(alice)).toEqual([]);
    await press(alice, 'Create detector');
    await alice.getByRole('heading', { name: 'Supply', exact: true }).waitFor();
    const { id } = await one('detector', "name = 'Supply'");
    const config = async () => (await api('GET', `detector/${id}`)).config;
    expect(await config()).toMatchObject({ condition: '> 20', repeat: '2 h' });
    await api('PUT', `detector/${id}`, {
      config: { ...(await config()), repeat: 'every look', reportEnd: false },
    });
    await alice.reload();
    await alice.getByText('as detectors did before version 0.17').waitFor();
    await api('DELETE', `detector/${id}`);
    await open(alice, `/detectors/${(await one('detector', "name = 'Whales'")).id}`);
    await alice.getByRole('heading', { name: 'Whales', exact: true }).waitFor();
  });

  it('run as shadow, explain a transaction, and are deleted', async () => {
    const { id } = await one('detector', "name = 'Whales'");
    await press(alice, 'Shadow');
    await alice.getByText('Its alerts are only recorded now.').waitFor();
    expect((await api('GET', `detector/${id}`)).tags).toContain('shadow');
    const { transactionHash } = await token.send(
      world.anvil.accounts[0],
      'transfer',
      world.anvil.accounts[1],
      7000n * 10n ** 18n,
    );
    await until(async () => (await alertsOf(`detectorId:${id}`)).length === 1);
    await alice.getByLabel('Hash of the transaction').fill(transactionHash);
    await press(alice, 'Explain');
    await alice.getByText('The detector raises an alert.').waitFor();
    await press(alice, 'Delete');
    await press(dialog(alice), 'Delete detector');
    await alice.getByText('Deleted the detector.').waitFor();
    expect(await found('detector', "name = 'Whales'")).toEqual([]);
  });

  it('lead from an alert into its transaction', async () => {
    const [{ uid } = {} as Json] = await alertsOf('name:Whales');
    await open(alice, `/alert/${uid}`);
    await alice.getByRole('link', { name: 'What happened inside' }).click();
    await alice.getByRole('treeitem').filter({ hasText: 'Vigil (VGL).transfer(' }).waitFor();
    await row(alice, '+7,000').filter({ hasText: 'VGL' }).waitFor();
    expect(await axeFaults(alice)).toEqual([]);
  });

  it('are switched off and on in place', async () => {
    const { id } = (await found('detector', `contractId = ${tokenId}`)).find(
      ({ schema }) => schema.name === 'pause_state',
    )!;
    const status = async () => (await api('GET', `detector/${id}`)).status;
    await open(alice, `/contracts/${tokenId}`);
    const item = alice.getByRole('listitem').filter({ has: alice.locator(`a[href$="detector=${id}"]`) });
    await item.getByRole('button', { name: 'Switch off' }).click();
    await item.getByRole('button', { name: 'Switch on' }).waitFor();
    expect(await status()).toBe('DISABLED');
    await item.getByRole('button', { name: 'Switch on' }).click();
    await expect.poll(status, patient).toBe('ACTIVE');
  });

  it('make a trigger, whose alert follows from the chain', async () => {
    await open(alice, '/triggers');
    await createRecord(alice, 'trigger', {
      '/contractId': 'Vigil (VGL)',
      '/triggerType': 'ERC20 transfer',
      '/params/minAmount': '3',
      '/name': 'Moves',
      '/alerts/0/severity': 'HIGH',
      '/alerts/0/name': 'It moved',
    });
    const trigger = await one('trigger', "name = 'Moves'");
    expect(trigger).toMatchObject({ contractId: tokenId, params: { minAmount: '3' } });
    await token.send(world.anvil.accounts[0], 'transfer', world.anvil.accounts[1], 4n * 10n ** 18n);
    await until(async () => (await alertsOf(`triggerId:${trigger.id}`)).length === 1);
    await row(alice, 'Moves').click();
    await dialog(alice).getByRole('link', { name: 'Its alerts' }).click();
    await row(alice, 'It moved').waitFor();
  });
});

describe('destinations', () => {
  it('are made, tested, signed, and send a message again', async () => {
    const { sink } = world;
    await open(alice, '/destinations');
    await alice.getByRole('button', { name: 'New destination' }).first().click();
    await fillForm(dialog(alice), { '/type': 'Webhook', '/uri': `${sink.url}/hook` });
    await press(dialog(alice), 'Create destination');
    await row(alice, '/hook').click();
    const destination = await one('destination', `tenantId = ${tenantId}`);
    await press(dialog(alice), 'Send a test message');
    await dialog(alice).getByText('Delivered', { exact: true }).waitFor();
    expect(sink.received).toHaveLength(1);
    await press(dialog(alice), 'New secret');
    await press(dialog(alice), 'Make a new secret');
    const secret = (await alice
      .getByRole('dialog')
      .first()
      .locator('code')
      .filter({ hasText: 'whsec_' })
      .textContent())!;
    await dialog(alice).getByText('Preview a message').click();
    await dialog(alice).getByText(`POST ${sink.url}/hook`).waitFor();

    const trigger = await one('trigger', "name = 'Moves'");
    await open(alice, `/triggers?trigger=${trigger.id}`);
    const drawer = dialog(alice);
    await drawer
      .locator('[data-pointer="/alerts/0/destinations"]')
      .getByRole('button', { name: 'Add' })
      .click();
    await fillForm(drawer, { '/alerts/0/destinations/0/tenantDestinationId': `${sink.url}/hook` });
    await press(drawer, 'Save');
    await alice.getByText('Saved the trigger.').waitFor();
    await token.send(world.anvil.accounts[0], 'transfer', world.anvil.accounts[1], 5n * 10n ** 18n);
    const message = await until(() => sink.received.find(({ body }) => body.data?.name === 'It moved'));
    expect((await verifyWebhook(message.text, message.headers, secret)).data).toMatchObject({
      name: 'It moved',
    });

    await open(alice, `/destinations?destination=${destination.id}`);
    const rules = dialog(alice).locator('[data-pointer="/gets"]');
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    await fillForm(dialog(alice), { '/name': 'Night shift', '/gets/0/minSeverity': 'HIGH' });
    expect(await axeFaults(alice)).toEqual([]);
    await press(dialog(alice), 'Save');
    await alice.getByText('Saved the destination.').waitFor();
    expect(await api('GET', `destination/${destination.id}`)).toMatchObject({
      name: 'Night shift',
      gets: [{ minSeverity: 'HIGH' }],
    });
    await row(alice, 'Night shift').waitFor();
    await open(alice, `/destinations?destination=${destination.id}`);
    await dialog(alice).getByRole('link', { name: 'Moves' }).waitFor();
    await dialog(alice)
      .getByText(/^alert\.\w/)
      .first()
      .click();
    await dialog(alice).getByRole('button', { name: 'Send again' }).first().click();
    const id = message.headers['webhook-id'];
    await until(() => sink.received.filter(({ headers }) => headers['webhook-id'] === id).length === 2);
  });
});

describe('actions and wallets', () => {
  const wallet = () => one('wallet', "name = 'Guardian'");

  it('make a wallet and an action, simulate it, and execute it on the chain', async () => {
    const { anvil } = world;
    const project = await one('project', `tenantId = ${tenantId}`);
    vaultId = (
      await api('POST', 'contract', {
        projectId: project.id,
        name: 'Vault',
        chainUid: 'anvil',
        address: vault.address,
        abi: artifacts.VaultV1.abi,
      })
    ).id;
    await open(alice, '/wallets');
    await createRecord(alice, 'wallet', { '/name': 'Guardian', '/chainUid': 'Anvil' });
    await row(alice, 'Guardian').click();
    await dialog(alice).getByText('It cannot pay for gas').waitFor();
    await dialog(alice).getByText('It may call nothing yet').waitFor();
    await press(dialog(alice), 'Let it call anything');
    await press(dialog(alice), 'Open the wallet');
    await row(alice, 'anything').waitFor();
    const { address } = await wallet();
    await anvil.setBalance(address, 10n ** 18n);
    await vault.send(anvil.accounts[0], 'initialize', address);
    await open(alice, '/actions');
    await alice.getByRole('button', { name: 'New action' }).first().click();
    await fillForm(dialog(alice), {
      '/contractId': 'Vault',
      '/walletId': 'Guardian',
      '/funcSignature': 'setValue(uint256 value)',
      '/name': 'Set it',
    });
    await dialog(alice).getByLabel('value').fill('42');
    await press(dialog(alice), 'Create action');
    await row(alice, 'Set it').click();
    await press(dialog(alice), 'Simulate');
    await dialog(alice).getByText('would succeed').waitFor();
    await press(dialog(alice), 'Rehearse on the last alerts');
    await dialog(alice)
      .getByText(/Nothing was signed or sent|alerts that reach this action would fire it/)
      .waitFor();
    expect(await vault.call('value')).toBe(0n);
    await press(dialog(alice), 'Execute now');
    await press(dialog(alice), 'Sign and send');
    await alice.getByRole('list', { name: 'State: confirmed' }).waitFor();
    expect(await vault.call('value')).toBe(42n);
  });

  it('halt every action in two steps, and let them run again', async () => {
    const isHalted = async () => (await api('GET', `action/halt?tenantId=${tenantId}`)).halted;
    await open(alice, '/');
    await press(alice, 'Halt actions');
    await dialog(alice).getByLabel('Reason').fill('A drill');
    await press(dialog(alice), 'Halt all actions');
    await alice.getByRole('button', { name: 'Actions halted' }).waitFor();
    expect(await isHalted()).toBe(true);
    const { data: entries } = await api('GET', `audit?tenantId=${tenantId}&kind=action&size=5`);
    expect(entries.find(({ action }: Json) => action === 'action.halt').changes).toMatchObject({
      reason: 'A drill',
    });
    await press(alice, 'Actions halted');
    await press(dialog(alice), 'Resume actions');
    await alice.getByRole('button', { name: 'Halt actions' }).waitFor();
    expect(await isHalted()).toBe(false);
  });

  it('ask a second user where the wallet says so', async () => {
    const { id, address } = await wallet();
    await open(alice, `/wallets?wallet=${id}`);
    await dialog(alice).getByLabel('Require approval').check();
    await press(dialog(alice), 'Save');
    await alice.getByText('Saved the wallet.').waitFor();
    await open(alice, `/wallets?wallet=${id}`);
    await press(dialog(alice), 'Give it a new key');
    await press(dialog(alice), 'Make a new key');
    await alice.getByText('It waits for the approval of another user').waitFor();
    expect((await wallet()).address).toBe(address);
    await open(alice, '/approvals');
    await row(alice, 'rotate').click();
    await dialog(alice).getByText('Someone else has to decide').waitFor();
    expect(await dialog(alice).getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const bob = await world.signIn('bob@example.com', '/approvals');
    await row(bob, 'rotate').click();
    await dialog(bob).getByText('a new key, with another address').waitFor();
    await press(dialog(bob), 'Approve');
    await bob.getByText('Approved and carried out.').waitFor();
    expect((await wallet()).address).not.toBe(address);
    await bob.context().close();
    await open(alice, `/wallets?wallet=${id}`);
    await dialog(alice).getByText('Until').waitFor();
    // What is said about the key must not be taken for what is said about the execution.
    await alice.getByText('It waits for the approval of another user').waitFor({ state: 'hidden' });

    const action = await one('action', "name = 'Set it'");
    await open(alice, `/actions?action=${action.id}`);
    await press(dialog(alice), 'Execute now');
    await press(dialog(alice), 'Sign and send');
    await alice.getByText('It waits for the approval of another user').waitFor();
    await open(alice, '/approvals');
    await row(alice, 'execute').click();
    await press(dialog(alice), 'Withdraw');
    await alice.getByText('Withdrawn.').waitFor();
    const states = (await found('approval', `tenantId = ${tenantId}`)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['APPROVED', 'REJECTED']));
    expect(await vault.call('value')).toBe(42n);
  });
});

describe('scores', () => {
  it('come from a license that is written, tried and granted in the console', async () => {
    const project = await one('project', `tenantId = ${tenantId}`);
    await open(admin, '/admin/organisations');
    await createRecord(admin, 'organisation', { '/name': 'Auditors' });
    await open(admin, '/licenses');
    await admin.getByRole('button', { name: 'New license' }).first().click();
    await fillForm(dialog(admin), { '/name': 'Security', '/version': '1.0.0' });
    const editors = dialog(admin).locator('.cm-content');
    await editors.nth(1).waitFor();
    await editors.nth(0).fill("'security'");
    await editors.nth(1).fill('-e.numericSeverity / 10');
    await press(dialog(admin), 'Create license');
    await row(admin, 'Security').click();
    await createRecord(admin, 'group', { '/name': 'security' });
    const license = await one('license', "name = 'Security'");
    expect(license).toMatchObject({ groupScript: "'security'", scoreScript: '-e.numericSeverity / 10' });
    await dialog(admin).getByLabel('Project').selectOption({ label: project.name });
    await press(dialog(admin), 'Try');
    await dialog(admin)
      .getByText(/^\d+ changes by \d+ events/)
      .waitFor();
    await dialog(admin)
      .getByRole('img', { name: /^Scores over time/ })
      .waitFor();

    await open(admin, '/scores');
    await createRecord(admin, 'instance', {
      '/projectId': project.name,
      '/licenseId': 'Security 1.0.0',
      '/organisationId': 'Auditors',
      '/licenseStatus': 'Granted',
    });
    await row(admin, 'Security').click();
    await createRecord(admin, 'period', {});
    const instance = await one('instance', `projectId = ${project.id}`);
    // A block carries whole seconds, and the first one may lie before the period.
    await until(async () => {
      await token.send(world.anvil.accounts[0], 'transfer', world.anvil.accounts[1], 6n * 10n ** 18n);
      const { data } = await api('GET', `instance/${instance.id}/score`);
      return data[0]?.score < 100;
    });
    await open(alice, `/scores?instance=${instance.id}`);
    await dialog(alice)
      .getByText(/^security is \d/)
      .first()
      .waitFor();
  });
});

describe('incidents', () => {
  it('hold the alerts of one cause in their order, and are resolved as one', async () => {
    const schema = await api('POST', 'detector/schema', {
      title: 'Engine',
      name: 'engine',
      version: '1.0.0',
    });
    const detector = await api('POST', 'detector', {
      contractId: vaultId,
      schemaId: schema.id,
      name: 'Engine',
      source: 'EXTERNAL',
    });
    const now = Date.now();
    await api('POST', `detector/${detector.id}/alert`, {
      alerts: ['LOW', 'CRITICAL', 'HIGH'].map((severity, index) => ({
        eid: `i-${index}`,
        severity,
        name: `Step ${index}`,
        message: `Step ${index} of the attack.`,
        txHash: `0x${'ab'.repeat(32)}`,
        timestamp: now - 3000 + index * 1000,
      })),
    });
    const [alert] = await alertsOf(`detectorId:${detector.id} AND name:"Step 0"`);
    const read = () => api('GET', `incident/${alert!.incidentUid}`);
    await open(alice, '/incidents?severity=CRITICAL');
    await row(alice, 'Step 1').click();
    await alice.getByRole('heading', { name: 'Step 1' }).waitFor();
    const list = alice.getByRole('region', { name: 'What happened' });
    await list.getByText('2 more alerts about it').click();
    const steps = list.getByRole('link', { name: /^Step/ });
    expect(await steps.allTextContents()).toEqual(['Step 1', 'Step 2', 'Step 0']);
    await press(alice, 'Resolve the incident');
    await alice.getByText('Resolved the incident and all its alerts.').waitFor();
    await alice.getByRole('button', { name: 'Open it again' }).waitFor();
    const resolved = await read();
    expect(resolved).toMatchObject({ status: 'RESOLVED', openAlerts: 0 });
    expect(resolved.alertList.map(({ status }: Json) => status)).toEqual([
      'RESOLVED',
      'RESOLVED',
      'RESOLVED',
    ]);
    await press(alice, 'Open it again');
    await expect.poll(async () => (await read()).status, patient).toBe('UNRESOLVED');
    await list.getByRole('link', { name: 'Step 2' }).click();
    await alice.getByRole('link', { name: 'All alerts of this cause' }).click();
    await alice.getByRole('heading', { name: 'Step 1' }).waitFor();
  });
});

describe('silences', () => {
  it('hide a noisy detector from an alert in three presses, with a preview, and are ended from their page', async () => {
    const [{ uid, detectorId } = {} as Json] = await alertsOf('name:"Step 0"');
    await open(alice, `/alert/${uid}`);
    await press(alice, 'Silence…');
    await dialog(alice)
      .getByText(/would have been hidden/)
      .waitFor();
    await dialog(alice).getByLabel('Reason').fill('The engine is tuned.');
    expect(await axeFaults(alice)).toEqual([]);
    await press(dialog(alice), 'Silence');
    await alice.getByText('Silenced.', { exact: true }).waitFor();
    await api('POST', `detector/${detectorId}/alert`, {
      alerts: [{ eid: 'silenced', severity: 'HIGH', name: 'Noise', message: 'Noise again.' }],
    });
    const [noise] = await alertsOf('name:Noise');
    await open(alice, `/alert/${noise!.uid}`);
    await alice.getByText('The engine is tuned.').waitFor();
    await open(alice, '/silences');
    await row(alice, 'The engine is tuned.').click();
    await press(dialog(alice), 'End it now');
    await alice.getByText('Ended the silence.').waitFor();
    expect((await one('silence', "reason = 'The engine is tuned.'")).state).toBe('EXPIRED');
  });
});

describe('on call', () => {
  it('builds a rotation, says who is on call, and calls that person until the link of the call is pressed on a phone', async () => {
    const { contacts } = await api('GET', `contact?tenantId=${tenantId}`);
    const me = contacts.find(({ email }: Json) => email === 'alice@example.com');
    const other = contacts.find(({ userId }: Json) => userId !== me.userId);
    await api('POST', 'destination', {
      tenantId,
      type: 'HTTP',
      name: 'Phone of Alice',
      uri: `${world.sink.url}/phone`,
    });
    await open(alice, '/oncall');
    await alice.getByRole('button', { name: 'New schedule' }).first().click();
    await fillForm(dialog(alice), { '/name': 'Rotation', '/layers/0/userIds': me.name });
    await fillForm(dialog(alice), { '/layers/0/userIds': other.name });
    expect(await axeFaults(alice)).toEqual([]);
    await press(dialog(alice), 'Create schedule');
    const now = alice.getByRole('region', { name: 'On call by Rotation' });
    await now.getByText('is on call by').waitFor();
    expect(await now.getByRole('strong').first().textContent()).toBe(me.name);
    const bar = now.getByRole('list', { name: 'On call by Rotation' }).getByRole('listitem');
    expect(await bar.count()).toBeGreaterThanOrEqual(2);
    expect(await bar.first().getAttribute('title')).toContain(me.name);
    expect((await one('schedule', "name = 'Rotation'")).layers[0].userIds).toEqual([me.userId, other.userId]);
    await alice.getByLabel('Phone of Alice').check();
    await press(alice, 'Save how you are called');
    await alice.getByText('Saved.', { exact: true }).waitFor();
    expect(await axeFaults(alice)).toEqual([]);
    await open(alice, '/chains');
    await createRecord(alice, 'chain', {
      '/name': 'Wake someone',
      '/steps/0/scheduleId': 'Rotation',
      '/steps/0/waitMinutes': '60',
    });
    const [alert] = await alertsOf('name:Noise');
    const uid = alert!.incidentUid;
    await open(alice, `/incidents/${uid}`);
    await alice.getByLabel('Escalation chain').selectOption({ label: 'Wake someone' });
    await press(alice, 'Call people');
    const { body } = await until(() => world.sink.received.find(({ path }) => path === '/phone'));
    expect(body.data.escalation).toMatchObject({ chain: 'Wake someone', userId: me.userId });
    const context = await world.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true });
    const phone = await context.newPage();
    await phone.goto(body.data.links.acknowledge);
    await phone.getByText('This link was sent to').waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await phone.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await phone.getByText(`Acknowledged in the name of ${me.name}.`).waitFor();
    await context.close();
    await alice.getByText('ACKNOWLEDGED', { exact: true }).waitFor();
    expect(await api('GET', `incident/${uid}`)).toMatchObject({
      acknowledged: true,
      acknowledgedById: me.userId,
    });
  });
});

describe('routes', () => {
  it('are built as a draft, tried, switched on, and named on the page of an alert', async () => {
    await open(alice, '/routes');
    await alice.getByRole('button', { name: 'New route' }).first().click();
    await fillForm(dialog(alice), { '/name': 'Everyone' });
    await dialog(alice).locator('[data-pointer="/destinationIds"] input').first().check();
    await press(dialog(alice), 'Create route');
    await row(alice, 'Everyone').getByText('draft').waitFor();
    await createRecord(alice, 'route', {
      '/name': 'Loud ones',
      '/parentId': 'Everyone',
      '/query': 'name:Routed',
      '/repeatSeconds': '900',
    });
    await row(alice, 'Loud ones').getByText('repeats every 15 min').waitFor();
    expect(await axeFaults(alice)).toEqual([]);
    await alice.getByLabel('Alerts to try').fill('name:"Step 0"');
    await press(alice, 'Try');
    await alice
      .getByRole('region', { name: 'Try the routes' })
      .getByRole('link', { name: 'Everyone' })
      .first()
      .waitFor();
    await row(alice, 'Everyone').click();
    await press(dialog(alice), 'Switch routes on');
    await alice.getByText('Routes decide from now on.').waitFor();
    const [{ detectorId } = {} as Json] = await alertsOf('name:"Step 0"');
    await api('POST', `detector/${detectorId}/alert`, {
      alerts: [{ eid: 'routed', severity: 'HIGH', name: 'Routed', message: 'By a route.' }],
    });
    const [routed] = await alertsOf('name:Routed');
    await open(alice, `/alert/${routed!.uid}`);
    await alice.getByRole('list', { name: 'Decided by' }).getByRole('link', { name: 'Loud ones' }).waitFor();
    const { id } = await one('route', "name = 'Everyone'");
    await api('PUT', `route/${id}`, { status: 'DISABLED' });
  });
});

describe('triage', () => {
  it('assigns an alert, comments on it, and tags what a search finds once it is counted', async () => {
    const [{ uid } = {} as Json] = await alertsOf('name:"Step 2"');
    const { id } = await one('user', "email = 'alice@example.com'");
    const comments = async () =>
      (await api('GET', `alert/${uid}/comment`)).data.map(({ text }: Json) => text);
    await open(alice, `/alerts?q=name:"Step 2"&alert=${uid}`);
    await dialog(alice).getByLabel('Assigned to').selectOption({ label: 'you' });
    await alice.getByText('Assigned.', { exact: true }).waitFor();
    await dialog(alice).getByLabel('New comment').fill('A known migration.');
    await press(dialog(alice), 'Comment');
    await dialog(alice).getByRole('paragraph').filter({ hasText: 'A known migration.' }).waitFor();
    expect(await comments()).toEqual(['A known migration.']);
    expect(await axeFaults(alice)).toEqual([]);
    await dialog(alice).getByRole('button', { name: 'Delete the comment' }).click();
    await expect.poll(comments, patient).toEqual([]);
    await press(dialog(alice), 'Close');
    await press(alice, 'Tag all found');
    await dialog(alice).getByLabel('Tags to add').fill('reviewed,');
    await dialog(alice).getByText('1 alert will change.').waitFor();
    await press(dialog(alice), 'Change tags');
    await alice.getByText('Changed the tags of 1.').waitFor();
    expect(await api('GET', `alert/${uid}`)).toMatchObject({ assigneeId: id, tags: ['reviewed'] });
  });

  it('reaches the first hit by five keys, and explains misspelt words of a query', async () => {
    await open(alice, '/alerts?range=7d&q=severty:CRITICAL');
    await alice.getByText('There is no member severty.').waitFor();
    await press(alice, 'Use severity');
    await row(alice, 'Step 1 of the attack.').waitFor();
    await alice.keyboard.press('/');
    for (const key of ['ArrowDown', 'Enter']) await alice.keyboard.press(key);
    await dialog(alice).getByText('of the attack.').first().waitFor();
    await press(dialog(alice), 'Close');
    await open(alice, '/alerts?range=7d&q=severity:HIHG');
    await alice.getByText('No alert has the severity HIHG.').waitFor();
    await press(alice, 'Use HIGH');
    await expect.poll(() => new URL(alice.url()).searchParams.get('q'), patient).toBe('severity:HIGH');
  });

  it('keeps a search as a view that colleagues open, and exports it', async () => {
    await open(alice, '/alerts?range=7d&q=severity:CRITICAL');
    await press(alice, 'Save view');
    await dialog(alice).getByLabel('Name').fill('Critical');
    await dialog(alice).getByLabel('Columns').fill('severity,message,');
    await dialog(alice).getByLabel('Everyone in the tenant sees it').check();
    await press(dialog(alice), 'Save view');
    await alice.getByRole('columnheader', { name: 'Message' }).waitFor();
    expect(await one('view', "name = 'Critical'")).toMatchObject({
      query: 'severity:CRITICAL',
      timeRange: '7d',
      columns: ['severity', 'message'],
      shared: true,
    });
    const bob = await world.signIn('bob@example.com', '/alerts');
    await bob.getByLabel('Saved views').selectOption({ label: 'Critical' });
    await row(bob, 'Step 1 of the attack.').waitFor();
    expect(new URL(bob.url()).searchParams.get('q')).toBe('severity:CRITICAL');
    const [download] = await Promise.all([
      bob.waitForEvent('download'),
      bob.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('alert.csv');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/);
    expect(lines[0]).toBe('severity,message');
    expect(lines.slice(1).join()).toContain('CRITICAL,Step 1 of the attack.');
    await bob.context().close();
    await press(alice, 'View');
    await press(dialog(alice), 'Delete view');
    await alice.getByText('Deleted the view.').waitFor();
    expect(await found('view', "name = 'Critical'")).toEqual([]);
  });
});

describe('a planned upgrade', () => {
  it('is announced on the page of its contract, passes as planned, and another one is CRITICAL', async () => {
    const detector = await one('detector', "name = 'Engine'");
    await open(alice, `/contracts/${vaultId}`);
    await alice.getByRole('link', { name: 'Plan a change' }).click();
    await fillForm(dialog(alice), { '/name': 'Vault moves to 2.1', '/expected/0/kind': 'engine' });
    await dialog(alice).getByRole('button', { name: 'Add', exact: true }).first().click();
    await dialog(alice).getByLabel('Name', { exact: true }).last().fill('codeHash');
    await dialog(alice).getByLabel('Value', { exact: true }).fill('0xabc');
    expect(await axeFaults(alice)).toEqual([]);
    await press(dialog(alice), 'Create planned change');
    // A wallet of the tenant asks for approvals, so that this needs a second person as well.
    await row(alice, 'Vault moves to 2.1').click();
    await dialog(alice).getByText('PENDING', { exact: true }).waitFor();
    expect(await dialog(alice).getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    const bob = await world.signIn('bob@example.com', '/planned');
    await row(bob, 'Vault moves to 2.1').click();
    await press(dialog(bob), 'Confirm');
    await bob.getByText('Confirmed the planned change.').waitFor();
    await bob.context().close();
    await open(alice, '/planned');
    await api('POST', `detector/${detector.id}/alert`, {
      alerts: ['0xABC', '0xdef'].map((codeHash, index) => ({
        eid: `upgrade-${index}`,
        severity: 'HIGH',
        name: `Upgrade ${index}`,
        message: 'The vault was upgraded.',
        meta: { codeHash },
      })),
    });
    const alerts = await alertsOf('name:Upgrade');
    expect(new Set(alerts.map(({ severity }) => severity))).toEqual(new Set(['CRITICAL', 'INFO']));
    await row(alice, 'Vault moves to 2.1').click();
    await dialog(alice).getByText('as planned', { exact: true }).waitFor();
    await dialog(alice).getByText('differs', { exact: true }).waitFor();
    await dialog(alice).getByRole('link', { name: 'Alert' }).first().click();
    await alice.locator('.alert-message', { hasText: 'Vault moves to 2.1' }).waitFor();
  });
});

describe('a restart of the server', () => {
  it('is said, loses no input, and the tail goes on', async () => {
    const { id } = await one('detector', "name = 'Engine'");
    const push = (eid: string, name: string) =>
      api('POST', `detector/${id}/alert`, { alerts: [{ eid, name, message: 'Came in live.' }] });
    const watching = await alice.context().newPage();
    await open(watching, '/alerts?live=1&q=message:live');
    await expect
      .poll(async () => {
        await push(`before-${Date.now()}`, 'Before');
        return row(watching, 'Before').count();
      }, patient)
      .toBeGreaterThan(0);
    await open(alice, '/projects?add=1');
    await dialog(alice).getByLabel('Name').fill('Half typed');
    await world.restart(async () => {
      await dialog(alice).getByLabel('Address').fill(world.anvil.accounts[4]);
      await alice.getByText('The connection to Vigil is lost.').waitFor();
    });
    await alice.getByText('The connection to Vigil is lost.').waitFor({ state: 'hidden' });
    expect(await dialog(alice).getByLabel('Name').inputValue()).toBe('Half typed');
    await expect.poll(() => dialog(alice).getByLabel('Chain').inputValue(), patient).not.toBe('');
    await press(dialog(alice), 'Watch it');
    await alice.getByRole('heading', { name: 'Half typed' }).waitFor();
    await push('after', 'After');
    await row(watching, 'After').waitFor();
  });
});
