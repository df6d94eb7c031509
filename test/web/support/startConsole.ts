import type { Browser, Locator, Page } from 'playwright-core';
import { createWorkspace, type Vigil } from '../../../testing/createWorkspace.ts';
import { openBrowser, watchFaults } from '../../../testing/openBrowser.ts';
import { type Anvil, startAnvil } from '../../../testing/startAnvil.ts';
import { type HttpSink, startHttpSink } from '../../notify/support/httpSink.ts';

export const password = 'correct horse battery';

export type Console = {
  vigil: Vigil;
  anvil: Anvil;
  browser: Browser;
  sink: HttpSink;
  /** What no page may have caused so far. */
  faults: string[];
  /** How often people pressed something so far, on all pages. */
  clicks: () => number;
  /** A page of its own session, as if on another computer. */
  openPage(): Promise<Page>;
  /** Signs in on a page of its own session. */
  signIn(email: string, path?: string): Promise<Page>;
  /** Stops Vigil and starts it again at the same address; `meanwhile` runs while it is away. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

/** The built program as a person starts it, and beside it a chain, a receiver of webhooks and a browser. */
export async function startConsole(): Promise<Console> {
  const [workspace, anvil, browser, sink] = await Promise.all([
    createWorkspace({ firstStart: true }),
    startAnvil(),
    openBrowser(),
    startHttpSink(),
  ]);
  const serve = async (port: string) =>
    workspace.serve(workspace.folder('data'), {
      VIGIL_PORT: port,
      VIGIL_CHAIN_ANVIL_CONFIRMATIONS: '0',
      VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
    });
  let vigil = await serve('0');
  const faults: string[] = [];
  let clicks = 0;

  async function openPage(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(60_000);
    await context.exposeFunction('countClick', (presses: number) => {
      clicks += presses;
    });
    // A choice from a menu takes two presses, and a test makes it without any.
    await context.addInitScript(`
      addEventListener('pointerdown', (event) => event.isTrusted && countClick(1), true);
      addEventListener('change', ({ target }) => target.tagName === 'SELECT' && countClick(2), true);`);
    const page = await context.newPage();
    watchFaults(page, vigil.url, faults);
    page.on('response', (response) => {
      // A refusal means that the page offered what the role may not do.
      if ([403, 500].includes(response.status()))
        faults.push(`${response.status()} ${response.request().method()} ${response.url()}`);
    });
    return page;
  }

  return {
    get vigil() {
      return vigil;
    },
    anvil,
    browser,
    sink,
    faults,
    clicks: () => clicks,
    openPage,
    async signIn(email, path = '/') {
      const page = await openPage();
      await signIn(page, vigil.url, email, path);
      return page;
    },
    async restart(meanwhile) {
      const { port } = new URL(vigil.url);
      await vigil.stop();
      await meanwhile();
      vigil = await serve(port);
    },
    async stop() {
      await browser.close();
      await vigil.stop();
      await Promise.all([anvil.stop(), sink.close()]);
      await workspace.remove();
    },
  };
}

/** Signs in with the password of all users of the tests. */
export async function signIn(page: Page, url: string, email: string, path = '/'): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/**
 * Goes to another page as a link does, and until it is drawn; that costs a third of loading it. Where no page is open yet, or the
 * same one, it is loaded.
 */
export async function go(page: Page, url: string): Promise<void> {
  const [from, to] = [new URL(page.url()), new URL(url)];
  if (from.origin !== to.origin || from.pathname === to.pathname) await page.goto(url);
  else
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(url)});
      dispatchEvent(new PopStateEvent('popstate'));
      new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`);
}

/** The control of a member of a form, by its place in the request: `/config/threshold`. */
function control(within: Page | Locator, pointer: string): Locator {
  return within.locator(`[data-pointer="${pointer}"]`).locator('input, select, textarea').first();
}

/** Fills a form of a record, member by member; a select is set by the text of its option. */
export async function fillForm(within: Page | Locator, values: Record<string, string>): Promise<void> {
  for (const [pointer, value] of Object.entries(values)) {
    const member = control(within, pointer);
    await member.waitFor();
    const isSelect = (await member.evaluate(({ tagName }: { tagName: string }) => tagName)) === 'SELECT';
    if (isSelect) await member.selectOption({ label: value });
    else await member.fill(value);
  }
}

/** Presses “New …” on the page, fills the form and creates the record. */
export async function createRecord(
  page: Page,
  singular: string,
  values: Record<string, string>,
): Promise<void> {
  await page
    .getByRole('button', { name: `New ${singular}`, exact: true })
    .first()
    .click();
  const drawer = page.getByRole('dialog').last();
  await fillForm(drawer, values);
  await drawer.getByRole('button', { name: `Create ${singular}`, exact: true }).click();
  await page.getByText(`Created the ${singular}.`).last().waitFor();
}
