import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/alert.ts';
import { addSource } from '../../testing/addSource.ts';
import { createTurns } from '../../testing/createTurns.ts';
import { openBrowser, watchFaults } from '../../testing/openBrowser.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { axeFaults } from './support/axeFaults.ts';
import { go } from './support/startConsole.ts';

/** On a busy machine. */
const patient = { timeout: 60_000 };
const password = 'correct horse battery';
/** Markup, marks that turn the direction of text, and more than fits without a space. */
const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe ${'W'.repeat(3000)}`;
/** A name may not turn the text around. */
const hostileName = hostile.replace('\u202E', '').slice(0, 150);

/** Pages that need no record. */
const further = [
  '/incidents',
  '/detectors',
  '/triggers',
  '/catalogue',
  '/actions',
  '/wallets',
  '/approvals',
  '/destinations',
  '/scores',
  '/licenses',
  '/admin',
  '/admin/users',
  '/admin/security',
  '/admin/labels',
];

let api: TestApi;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];
let source: Awaited<ReturnType<typeof addSource>>;
let uids: string[];

async function push(alerts: Record<string, unknown>[]): Promise<string[]> {
  const { results } = await api.ok('POST', `detector/${source.detectorId}/alert`, { alerts });
  return results.map(({ uid }: { uid: string }) => uid);
}

async function addUser(tenantId: number, email: string, ...roles: string[]): Promise<void> {
  await api.ok('POST', 'user', { tenantId, name: email, email, password, roles });
}

async function signIn(on: Page, email: string, path = '/'): Promise<void> {
  await on.goto(api.url + path);
  await on.getByLabel('E-mail address').fill(email);
  await on.getByLabel('Password').fill(password);
  await on.getByRole('button', { name: 'Sign in', exact: true }).click();
  await on.getByRole('navigation').waitFor();
}

/** Nothing is still loading. */
async function settle(on: Page): Promise<void> {
  await on
    .getByRole('main')
    .getByRole('heading', { includeHidden: true })
    .first()
    .waitFor({ state: 'attached' });
  await expect.poll(() => on.locator('[aria-busy]').count(), patient).toBe(0);
}

beforeAll(async () => {
  const consoleFolder = new URL('../../dist/web/', import.meta.url);
  [api, browser] = await Promise.all([startTestApi({ consoleFolder }), openBrowser()]);
  const tenant = await api.ok('POST', 'tenant', { name: 'Acme' });
  source = await addSource(api, tenant.id);
  await addUser(tenant.id, 'alice@example.com', 'tenant-manager');
  await addUser(tenant.id, 'victor@example.com', 'tenant-viewer');
  uids = await push(
    Array.from({ length: 300 }, (_, n) => ({
      eid: `e-${n}`,
      name: n % 3 === 0 ? 'Drained' : 'Moved',
      severity: n % 3 === 0 ? 'CRITICAL' : 'LOW',
      message: `Number ${n} happened.`,
      // Twenty incidents: axe needs seconds for a page of three hundred.
      txHash: `0x${(n % 20).toString(16).padStart(64, '0')}`,
      meta: { thief: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', amount: '1234567.5', symbol: 'ETH' },
    })),
  );
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  faults = watchFaults(page, api.url);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

describe('signing in', () => {
  it('says what is wrong with a password, and then opens the page that was asked for', async () => {
    await page.goto(`${api.url}/alerts`);
    await page.getByLabel('E-mail address').fill('alice@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('grid', { name: 'Alerts' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/alerts');
  });

  it('keeps nothing secret where scripts can read it, and lasts over a reload', async () => {
    const readable = await page.evaluate(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(readable).not.toContain('vigil_session');
    await page.reload();
    await page.getByRole('grid', { name: 'Alerts' }).waitFor();
  });

  it('takes an API key, and signs out', async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto(api.url);
    await other.getByRole('button', { name: 'Sign in with an API key' }).click();
    await other.getByLabel('API key or token').fill(await api.token(source.tenantId, 'tenant-viewer'));
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await other.getByRole('button', { name: 'You and your settings' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor();
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor();
    await other.context().close();
  });
});

describe('a link with a key', () => {
  /** Without the one that tells browsers apart. */
  const cookiesOf = async (on: Page) =>
    (await on.context().cookies()).filter(({ name }) => !name.endsWith('vigil_device')).length;
  const makeKey = async (label: string) => {
    const body = { tenantId: source.tenantId, label, roles: ['tenant-viewer'] };
    return (await api.ok('POST', 'apikey', body)).token as string;
  };

  it('asks whose it is before the browser is signed in, and leaves the address', async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${api.url}/#key=${await makeKey('the demo')}`);
    await other.getByText('Sign in as the demo (tenant-viewer) of Acme?').waitFor();
    expect(new URL(other.url()).hash).toBe('');
    expect(await cookiesOf(other)).toBe(0);
    expect(await axeFaults(other)).toEqual([]);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await cookiesOf(other)).toBe(1);
    await other.context().close();
  });

  it('a link with a key that is refused leaves nothing of the key', async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${api.url}/#key=${await makeKey('a trap')}`);
    await other.getByText('Sign in as a trap').waitFor();
    await other.getByRole('button', { name: 'Discard the key' }).click();
    await other.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor();
    expect(await cookiesOf(other)).toBe(0);
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in to Vigil' }).waitFor();
    await other.context().close();
  });

  it('asks who is signed in as another too, and says so of a key that is none', async () => {
    const other = await (await browser.newContext()).newPage();
    await signIn(other, 'victor@example.com');
    // The page is open already, and only the part behind # changes.
    const key = await makeKey('a trap');
    await other.goto(`${api.url}/#key=${key}`);
    await other.getByText('You are signed in as victor@example.com of Acme').waitFor();
    await other.getByRole('button', { name: 'Discard the key' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    const me = await other.evaluate("fetch('./api/v1/auth/me').then((answer) => answer.json())");
    expect(me).toMatchObject({ name: 'victor@example.com' });
    await other.goto(`${api.url}/#key=vigil_key_unknown`);
    await other.getByText('unknown, expired or revoked').waitFor();
    expect(await other.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).toBe(true);
    await other.context().close();
  });
});

describe('an invite', () => {
  it('is accepted by its link, which signs the person in', async () => {
    const body = { email: 'ivy@example.com', roles: ['tenant-viewer'], tenantId: source.tenantId };
    const invite = await api.call('POST', 'invite', { ...body, url: 'https://console.example.com/accept' });
    expect(invite.status, invite.text).toBe(201);
    const other = await (await browser.newContext()).newPage();
    const { search } = new URL(invite.headers.get('x-invite-accept-link')!);
    await other.goto(`${api.url}/accept-invite${search}`);
    await other.getByLabel('Your name').fill('Ivy');
    await other.getByLabel('Password').fill('short');
    await other.getByRole('button', { name: 'Start' }).click();
    await other.locator('.fault').waitFor();
    await other.getByLabel('Password').fill(password);
    await other.getByRole('button', { name: 'Start' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await other.goto(`${api.url}/accept-invite`);
    await other.getByText('its last part is missing').waitFor();
    await other.context().close();
  });
});

describe('alerts', () => {
  const status = () => page.getByRole('region', { name: 'Alerts found' }).getByRole('status');
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });

  it('narrows by a facet, and has the query in the address', async () => {
    await page.goto(`${api.url}/alerts`);
    await status().filter({ hasText: '300 found' }).waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'CRITICAL 100' }).click();
    await status().filter({ hasText: '100 found' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('severity:CRITICAL');
  });

  it('shows only the rows in view, and reads further ones as it is scrolled', async () => {
    await page.goto(`${api.url}/alerts`);
    await status().filter({ hasText: '300 found' }).waitFor();
    const grid = page.getByRole('grid', { name: 'Alerts' });
    expect(await grid.getByRole('row').count()).toBeLessThan(80);
    await grid.getByRole('row').nth(1).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator('[data-index="299"]').count();
      }, patient)
      .toBe(1);
    const focused = () => page.evaluate('document.activeElement.dataset.index');
    await page.evaluate("document.querySelector('.data-body').scrollTop = 0");
    await page.locator('[data-index="0"]').waitFor();
    expect(await focused()).toBe('299');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused, patient).toBe('298');
    await expect.poll(() => page.locator('[data-index="0"]').count(), patient).toBe(0);
  });

  it('marks a fault at its place, completes fields and values, and runs with Enter', async () => {
    const box = page.getByLabel('Query');
    await box.fill('severity:(HIGH');
    await box.press('Escape');
    await box.press('Enter');
    await page.locator('.query-mark mark').waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'column 15' }).count()).toBe(1);
    await box.fill('');
    await box.pressSequentially('seve');
    await page.getByRole('option', { name: /^severity:/ }).waitFor();
    await box.press('Tab');
    await page.getByRole('option', { name: /^CRITICAL/ }).waitFor();
    await box.pressSequentially('CRIT');
    await page.getByRole('option', { name: /^CRITICAL/ }).waitFor();
    await box.press('Tab');
    await box.press('Enter');
    await status().filter({ hasText: '100 found' }).waitFor();
  });

  it('marks what a query found, names members that the table does not show, and says why in the drawer', async () => {
    await page.goto(`${api.url}/alerts?q=${encodeURIComponent('number AND meta.symbol:ETH AND eid:"e-1"')}`);
    const hit = row('Number 1 happened.');
    await hit.locator('mark', { hasText: 'Number' }).waitFor();
    expect(await hit.locator('.found-in').textContent()).toBe('found in Symbol, Eid');
    await hit.focus();
    await page.keyboard.press('Enter');
    const why = page.getByRole('dialog').locator('section', { hasText: 'Why it was found' });
    await why.waitFor();
    expect(await why.locator('dt').allTextContents()).toEqual(['number', 'meta.symbol:ETH', 'eid:"e-1"']);
    expect(await why.locator('dd').allTextContents()).toEqual(['Message: number', 'Symbol: eth', 'Eid']);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('opens an alert by keyboard with its evidence, resolves it, and a link shows the same', async () => {
    await page.goto(`${api.url}/alerts?q=eid:"e-0"`);
    await row('Number 0 happened.').focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('1,234,567.5').waitFor();
    expect(await drawer.textContent()).toContain('0xf39F…2266');
    await drawer.getByRole('button', { name: 'Mark as resolved' }).click();
    await drawer.getByRole('button', { name: 'Open it again' }).waitFor();
    expect((await api.ok('GET', `alert/${uids[0]}`)).status).toBe('RESOLVED');
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole('dialog').getByRole('heading', { name: 'Drained' }).waitFor();
    await other.close();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  it('resolves those that are ticked, and all that are found', async () => {
    await page.goto(`${api.url}/alerts?q=eid:("e-1" OR "e-2" OR "e-4")`);
    await row('Number 1 happened.').getByRole('checkbox').check();
    await row('Number 2 happened.').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    await page.getByText('2 resolved.').waitFor();
    await page.getByRole('button', { name: 'Resolve all found' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve all found' }).click();
    await page.getByText('1 resolved.').waitFor();
    const { total } = await api.ok('POST', 'alert/search', { query: 'status:RESOLVED' });
    expect(total).toBe(4);
  });

  it('shows new alerts at once while it is live', async () => {
    await page.goto(`${api.url}/alerts?live=1&q=name:Fresh`);
    await page.getByText('No alerts match').waitFor();
    await expect
      .poll(async () => {
        await push([
          { eid: `live-${Date.now()}`, name: 'Fresh', severity: 'HIGH', message: 'Came in live.' },
        ]);
        return row('Came in live.').count();
      }, patient)
      .toBeGreaterThan(0);
  });
});

describe('hostile text', () => {
  /** A record of each kind that people name. */
  async function addHostileRecords(contractId: number): Promise<void> {
    const { tenantId } = source;
    const own = { tenantId, name: hostileName };
    const [from, to] = [Date.now(), Date.now() + 3_600_000];
    const uri = 'https://hooks.example.com/hostile';
    const { id: destinationId } = await api.ok('POST', 'destination', { ...own, type: 'HTTP', uri });
    await api.ok('POST', 'route', { ...own, destinationIds: [destinationId] });
    await api.ok('POST', 'silence', { tenantId, query: 'name:none', to, reason: hostileName });
    await api.ok('POST', 'timeset', { ...own, zone: 'UTC', ranges: [{ from: '08:00', to: '18:00' }] });
    const expected = [{ kind: 'engine', values: { codeHash: '0xabc' } }];
    await api.ok('POST', 'plannedchange', { contractId, name: hostileName, from, to, expected });
    const roles = ['tenant-user'];
    const user = await api.ok('POST', 'user', { ...own, email: 'hostile@example.com', roles });
    const layers = [{ userIds: [user.id], unit: 'DAYS', every: 1, start: from - 1000 }];
    const { id: scheduleId } = await api.ok('POST', 'schedule', { ...own, zone: 'UTC', layers });
    await api.ok('POST', 'escalationchain', { ...own, steps: [{ scheduleId, waitMinutes: 5 }] });
  }

  it('is text on every page: nothing runs, nothing leaves, nothing breaks the layout', async () => {
    const project = await api.ok('POST', 'project', {
      tenantId: source.tenantId,
      name: hostileName,
    });
    const contract = await api.ok('POST', 'contract', {
      projectId: project.id,
      name: hostileName,
      chainUid: 'ethereum',
      address: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
      tags: [hostile.slice(0, 150)],
    });
    const [uid] = await push([
      {
        eid: 'hostile',
        name: hostileName,
        severity: 'CRITICAL',
        message: hostile,
        meta: { [hostile.slice(0, 90)]: [hostile, { a: hostile }] },
      },
    ]);
    const { incidentUid } = await api.ok('GET', `alert/${uid}`);
    await api.ok('POST', `alert/${uid}/comment`, { text: hostile });
    await addHostileRecords(contract.id);
    const expectShown = async (path: string) => {
      await go(page, api.url + path);
      const texts = page.getByText('<script>alert(2)</script>');
      await expect.poll(() => texts.count(), { ...patient, message: path }).toBeGreaterThan(0);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow, `${path} is wider than the screen`).toBeLessThanOrEqual(0);
    };
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of [
      '/',
      '/incidents',
      `/incidents/${incidentUid}`,
      '/alerts',
      `/alerts?alert=${uid}`,
      `/alert/${uid}`,
      '/projects',
      `/projects/${project.id}`,
      `/contracts/${contract.id}`,
    ])
      await expectShown(path);
    // Narrow lists leave columns out.
    await page.setViewportSize({ width: 1440, height: 900 });
    const lists = ['destinations', 'routes', 'silences', 'timesets', 'planned', 'oncall', 'chains'];
    for (const name of lists) await expectShown(`/${name}`);
    expect(faults).toEqual([]);
  });
});

describe('the call tree of an alert', () => {
  const vault = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
  const thief = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512';
  const frame = (position: number, members: object) => ({
    position,
    parent: position === 0 ? null : 0,
    depth: position === 0 ? 0 : 1,
    type: 'CALL',
    from: thief,
    to: vault,
    value: '0',
    amount: '0',
    selector: null,
    function: null,
    arguments: [],
    reason: null,
    inputBytes: 0,
    isReverted: false,
    ...members,
  });
  const change = (address: string, amount: string) => {
    const asset = { asset: 'native', symbol: hostile.slice(0, 32), tokenId: null };
    return { address, ...asset, amount, value: `${amount}${'0'.repeat(18)}` };
  };
  const trace = {
    chainUid: 'ethereum',
    txHash: `0x${'5c'.repeat(32)}`,
    blockNumber: 7,
    from: thief,
    isReverted: false,
    total: 1004,
    reverted: 1,
    depth: 2,
    frames: [
      frame(0, { to: thief, function: 'attack()' }),
      frame(1, {
        function: 'withdraw(string)',
        arguments: [{ name: 'note', type: 'string', value: hostile.slice(0, 300), shown: null }],
      }),
      frame(2, { parent: 1, depth: 2, from: vault, to: thief, value: `5${'0'.repeat(18)}`, amount: '5' }),
      frame(3, { type: 'DELEGATECALL', isReverted: true, reason: hostile.slice(0, 300) }),
    ],
    changes: [change(vault, '-5'), change(thief, '5')],
    parties: [
      { address: vault, type: 'contract', name: 'Vault', contractId: 1, tags: [], score: null },
      { address: thief, type: 'label', name: hostile, contractId: null, tags: ['EXPLOITER'], score: 100 },
    ],
    leftOut: { before: 0, after: 1000, changes: 0 },
    note: 'Left out: 1000 frames after these (ask with from=4).',
  };

  it('shows gains and losses first, then calls that open and close by keyboard, as text', async () => {
    const asked: string[] = [];
    await page.route('**/api/v1/alert/*/trace*', (route) => {
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: trace });
    });
    await page.goto(`${api.url}/alert/${uids[5]}/trace`);
    const item = (text: string | RegExp) => page.getByRole('treeitem').filter({ hasText: text });
    await item('Vault.withdraw').waitFor();
    const losses = page.getByRole('region', { name: 'Net balance changes' }).getByRole('row');
    expect((await losses.allTextContents()).slice(1)).toEqual([
      expect.stringMatching(/^Vault-5/),
      expect.stringMatching(/\+5/),
    ]);
    expect(await item('reverted: <img').count()).toBe(1);
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getByRole('treeitem').count(), patient).toBe(3);
    expect(await item('Vault.withdraw').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.getByRole('treeitem').count(), patient).toBe(4);
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.dataset.position')).toBe('3');
    const found: string[] = [];
    for (const [theme, width] of [
      ['dark', 1440],
      ['light', 360],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 740 });
      found.push(...(await axeFaults(page)).map((fault) => `${theme} ${fault}`));
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow, `wider than ${width}`).toBeLessThanOrEqual(0);
    }
    expect(found).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => asked.at(-1), patient).toContain('from=4');
    await page.getByRole('searchbox', { name: 'Find a call' }).fill('withdraw');
    await expect.poll(() => page.getByRole('treeitem').count(), patient).toBe(2);
    await page.getByRole('searchbox', { name: 'Find a call' }).fill('');
    await page.getByLabel('Touches us').check();
    await expect.poll(() => item('Vault.withdraw').count(), patient).toBe(1);
    await page.getByLabel('Touches us').uncheck();
    await page.getByText(/ of 1,004 shown$/).waitFor();
    await item('Vault.withdraw').click();
    await expect.poll(() => new URL(page.url()).searchParams.get('frame'), patient).toBe('1');
    expect(faults).toEqual([]);
  });

  it('has only the rows in view of ten thousand calls, however it is opened or searched', async () => {
    const call = { function: 'transfer(address,uint256)', selector: '0xa9059cbb' };
    const frames = Array.from({ length: 10_000 }, (_, n) => {
      const outer = n - ((n - 1) % 101);
      if (n === 0) return frame(n, { to: thief });
      return frame(n, n === outer ? call : { ...call, parent: outer, depth: 2 });
    });
    await page.unroute('**/api/v1/alert/*/trace*');
    await page.route('**/api/v1/alert/*/trace*', (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const from = Number(asked.get('from'));
      const part = frames.slice(from, from + Number(asked.get('size')));
      return route.fulfill({ json: { ...trace, total: frames.length, frames: part } });
    });
    await page.goto(`${api.url}/alert/${uids[8]}/trace`);
    const items = page.getByRole('treeitem');
    await page.getByText('10,000 of 10,000 shown').waitFor();
    await page.getByRole('button', { name: 'Close all' }).click();
    await page.getByText('1 of 10,000 shown').waitFor();
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.getByText('10,000 of 10,000 shown').waitFor();
    expect(await items.count()).toBeLessThan(100);
    await page.getByRole('searchbox', { name: 'Find a call' }).fill('transfer');
    await page.getByText('9,999 of 10,000 calls').waitFor();
    expect(await items.count()).toBeLessThan(100);
    await items.first().focus();
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.dataset.position')).toBe('9999');
    expect(faults).toEqual([]);
  });

  it('says what is missing, and tries again', async () => {
    let isThere = false;
    await page.unroute('**/api/v1/alert/*/trace*');
    await page.route('**/api/v1/alert/*/trace*', (route) =>
      isThere
        ? route.fulfill({ json: trace })
        : route.fulfill({
            status: 409,
            contentType: 'application/problem+json',
            json: {
              status: 409,
              code: 'conflict',
              title: 'x',
              detail: 'No endpoint of ethereum gives traces.',
            },
          }),
    );
    await page.goto(`${api.url}/alert/${uids[6]}/trace`);
    await page.getByText('No endpoint of ethereum gives traces.').waitFor();
    isThere = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('treeitem').first().waitFor();
    await page.unroute('**/api/v1/alert/*/trace*');
  });
});

describe('the room of an incident', () => {
  const robber = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
  let uid: string;
  let alertUid: string;

  /** The part of the page that shows it is in view, without scrolling. */
  async function isInView(text: string | RegExp): Promise<boolean> {
    const box = await page.getByText(text).first().boundingBox();
    const { height } = page.viewportSize()!;
    return box !== null && box.y >= 0 && box.y + box.height <= height;
  }

  it('says on a phone and on a laptop what was lost, by whom and whether it is stopped, without scrolling', async () => {
    const { tenantId, projectId, contractId } = source;
    await api.ok('POST', 'label', { tenantId, address: robber, name: 'Known exploiter', tags: ['EXPLOIT'] });
    const finding = (n: number, members: Partial<Finding>): Finding => ({
      tenantId,
      projectId,
      contractId,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'CRITICAL',
      timestamp: Date.now(),
      key: `room ${n}`,
      eid: `room-${n}`,
      name: 'Drain',
      message: `A transaction of ${robber} took all of it.`,
      meta: {},
      tags: [],
      chainUid: 'ethereum',
      txHash: `0x${'d7'.repeat(32)}`,
      blockNumber: 57,
      blockHash: `0x${'b5'.repeat(32)}`,
      detectorSchemaName: 'drain',
      ...members,
    });
    const assets = [{ asset: 'native', symbol: 'ETH', change: '-50', held: '50', percent: 100 }];
    await raiseAll(api.store, [
      finding(1, { meta: { sender: robber, assets, recipients: [robber], usd: '150000', percent: 100 } }),
      finding(2, {
        severity: 'LOW',
        name: hostileName,
        message: hostile,
        meta: { [hostile.slice(0, 90)]: hostile },
      }),
    ]);
    const { data } = await api.ok('POST', 'alert/search', {
      query: `txHash:0x${'d7'.repeat(32)} AND name:Drain`,
    });
    alertUid = data[0].uid;
    uid = data[0].incidentUid;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${api.url}/alert/${alertUid}`);
    const headline =
      'Treasury lost 50 ETH (150,000 USD), 100 % of what it held, to Known exploiter; it may go on.';
    await page.getByText(headline).waitFor();
    expect(await isInView(headline)).toBe(true);
    await page.getByRole('link', { name: 'Open the incident' }).click();
    await page.getByRole('heading', { name: headline }).waitFor();
    for (const [width, height] of [
      [1366, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const text of [headline, /^150,000 USD$/, /^Known exploiter$/, /^It may go on$/])
        expect(await isInView(text), `${text} on ${width} x ${height}`).toBe(true);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  it('shows the money and the timeline on a laptop, duplicates folded and hostile text as text', async () => {
    await page.setViewportSize({ width: 1366, height: 768 });
    const picture = page.getByRole('img', { name: /moves? among 2 parties/ });
    await picture.waitFor();
    expect(await picture.textContent()).toContain('50 ETH');
    const steps = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    await steps.filter({ hasText: '1 more alert about it' }).getByText('1 more alert about it').click();
    await page.getByText('<script>alert(2)</script>').first().waitFor();
    const found: string[] = [];
    for (const [theme, width] of [
      ['dark', 1366],
      ['light', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: 844 });
      found.push(...(await axeFaults(page)).map((fault) => `${theme} ${width} ${fault}`));
    }
    expect(found).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Report' }).click();
    expect((await download).suggestedFilename()).toBe(`incident-${uid}.md`);
    expect(faults).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe('the room of a large incident', () => {
  it('draws its folds when they are opened, and nothing again that a reading does not change', async () => {
    const { data } = await api.ok('POST', 'alert/search', { query: 'name:Drain AND eid:"room-1"' });
    const other = await context.newPage();
    // It is read every five seconds, which a test need not wait for.
    await other.addInitScript(`const repeat = setInterval;
      window.setInterval = (work, ms) => repeat(work, ms === 5000 ? 1500 : ms);`);
    let readings = 0;
    await other.route('**/api/v1/incident/*/story', async (route) => {
      const story = await (await route.fetch()).json();
      const step = story.timeline.find(({ alert }: { alert: unknown }) => alert !== null);
      const folded = Array.from({ length: 20 }, () => step.alert);
      readings += 1;
      await route.fulfill({
        json: { ...story, timeline: Array.from({ length: 200 }, () => ({ ...step, folded })) },
      });
    });
    await other.goto(`${api.url}/incidents/${data[0].incidentUid}`);
    const steps = other.locator('.timeline > li[data-type]');
    await expect.poll(() => steps.count(), patient).toBe(200);
    // 4,000 folded alerts would be ten times as many.
    expect(await other.evaluate('document.querySelectorAll("*").length')).toBeLessThan(8000);
    await steps.first().locator('summary').click();
    await expect.poll(() => steps.first().locator('details li').count(), patient).toBe(20);
    await other.evaluate(`window.changes = 0;
      new MutationObserver((list) => { window.changes += list.length; })
        .observe(document.querySelector('.timeline'), { childList: true, subtree: true })`);
    const before = readings;
    await expect.poll(() => readings, patient).toBeGreaterThan(before + 1);
    expect(await other.evaluate('window.changes')).toBe(0);
    await other.close();
  });
});

describe('the API document', () => {
  it('has no style, script or request of its page blocked', async () => {
    const other = await (await browser.newContext()).newPage();
    const blocked = watchFaults(other, api.url);
    await other.goto(`${api.url}/docs`);
    await other.locator('.swagger-ui .info').waitFor(patient);
    expect(blocked).toEqual([]);
    await other.context().close();
  });
});

describe('every page', () => {
  it('has no fault that axe finds, in both themes and on a phone', async () => {
    const found: string[] = [];
    const { incidentUid } = await api.ok('GET', `alert/${uids[5]}`);
    const paths = [
      '/',
      '/alerts',
      `/alerts?alert=${uids[5]}`,
      `/alert/${uids[5]}`,
      `/incidents/${incidentUid}`,
      '/projects',
      '/projects?add=1',
      `/contracts/${source.contractId}?new=1`,
      `/detectors/${source.detectorId}`,
      ...further,
    ];
    const isTurn = createTurns('pages for axe', 4);
    for (const [at, path] of paths.entries()) {
      await go(page, api.url + path);
      const views = [
        ['dark', 1440],
        ['light', 360],
      ] as const;
      for (const [theme, width] of views.filter((_, n) => isTurn(at + n))) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height: 900 });
        await settle(page);
        found.push(...(await axeFaults(page)).map((fault) => `${theme} ${path} ${fault}`));
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(found).toEqual([]);
  });

  it('shows a viewer nothing that would fail', async () => {
    const other = await (await browser.newContext()).newPage();
    const seen = watchFaults(other, api.url);
    const refused: string[] = [];
    const changes =
      /Mark as resolved|Watch a contract|^New |^Resolve( |$)|Halt actions|^Edit|^Add |^Enable|^Delete/;
    other.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await signIn(other, 'victor@example.com', `/alert/${uids[7]}`);
    await other.getByRole('heading', { name: 'Moved' }).waitFor();
    for (const path of ['/', '/alerts', '/projects', `/contracts/${source.contractId}`, ...further]) {
      await go(other, api.url + path);
      await settle(other);
      expect(await other.getByRole('button', { name: changes }).allTextContents(), path).toEqual([]);
    }
    expect([...refused, ...seen]).toEqual([]);
    await other.context().close();
  });

  it('belongs to one tenant: another one sees and finds nothing of it', async () => {
    const tenant = await api.ok('POST', 'tenant', { name: 'Beta' });
    await addUser(tenant.id, 'bob@example.com', 'tenant-manager');
    const other = await (await browser.newContext()).newPage();
    await signIn(other, 'bob@example.com', '/alerts');
    await other.getByText('No alerts in this time').waitFor();
    await other.goto(`${api.url}/alert/${uids[5]}`);
    await other.getByText('There is no such alert, or you may not see it.').waitFor();
    await other.goto(`${api.url}/contracts/${source.contractId}`);
    await other.getByText('There is no such contract, or you may not see it.').waitFor();
    await other.context().close();
  });
});

describe('a detector that nobody switched on', () => {
  it('says in its lists and on its page what it is and why it is on', async () => {
    const { schema } = await api.ok('GET', `detector/${source.detectorId}`);
    // As one that comes with the contract, which needs the kinds of a running installation.
    const made = await api.ok('POST', 'detector', {
      contractId: source.contractId,
      schemaId: schema.id,
      name: 'Attack detector',
      source: 'ATTACK_DETECTOR',
    });
    await page.goto(`${api.url}/contracts/${source.contractId}`);
    const watchedBy = page.getByRole('region', { name: 'Watched by' });
    await watchedBy.getByText('On by itself for every contract').waitFor();
    await page.goto(`${api.url}/detectors`);
    await page.getByText('On by itself for every contract').waitFor();
    await page.goto(`${api.url}/detectors/${made.id}`);
    await page.getByText('Vigil switched this detector on when the contract was added').waitFor();
    await page.goto(`${api.url}/detectors/${source.detectorId}`);
    await settle(page);
    expect(await page.getByText('Vigil switched this detector on').count()).toBe(0);
    await api.ok('DELETE', `detector/${made.id}`);
  });
});

describe('the list of alerts', () => {
  it('gives the message all the width that other columns leave, and shows it whole where the pointer rests', async () => {
    const message = `Ownership of ${'a very long name of a vault '.repeat(12)}changed.`;
    const [uid] = await push([{ eid: 'long', name: 'Long', severity: 'LOW', message }]);
    expect(uid).toBeDefined();
    await page.setViewportSize({ width: 1366, height: 850 });
    await page.goto(`${api.url}/alerts?q=${encodeURIComponent('eid:long')}`);
    const cell = page.getByRole('gridcell').filter({ hasText: 'Ownership of' });
    await cell.waitFor();
    const row = await page.getByRole('row').filter({ hasText: 'Ownership of' }).boundingBox();
    const box = await cell.boundingBox();
    expect(box!.width / row!.width).toBeGreaterThan(0.45);
    expect(await cell.locator('[title]').first().getAttribute('title')).toContain('changed.');
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
