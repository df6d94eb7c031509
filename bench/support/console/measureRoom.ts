import type { BrowserContext, Page } from 'playwright-core';
import { type Interaction, noteInteractions } from './measureInteractions.ts';
import { measureFirst, type Scroll, scrollThrough } from './measureRows.ts';
import { type Room, traceFrames } from './seedRoom.ts';

const rounds = 7;

export type Big = { times: number[]; scroll: Scroll; interactions: Interaction[] };

/** The room of an incident of 5,000 alerts: its headline, a scroll to its end, its buttons, and a reading every 5 s meanwhile. */
export async function measureRoom(context: BrowserContext, url: string, room: Room): Promise<Big> {
  const address = `${url}/incidents/${room.incidentUid}`;
  const times = await measureFirst(context, address, '.headline', rounds);
  const page = await openPage(context, address);
  const steps = page.getByRole('region', { name: 'What happened' });
  await steps.getByRole('listitem').first().waitFor();
  const scroll = await scrollThrough(page, "document.querySelector('main')");
  await page.evaluate("document.querySelector('main').scrollTop = 0");
  for (const name of ['On the chain', 'What was done', 'Everything'])
    await steps.getByRole('button', { name }).click();
  for (const nth of [0, 3, 6]) await steps.locator('summary').nth(nth).click();
  await page.getByText(/^\d+ transactions$/).click();
  return { times, scroll, interactions: await interactionsOf(page) };
}

/** The call tree of a transaction of 10,000 frames: its first rows, a scroll through all of them, filters, search and keys. */
export async function measureTrace(context: BrowserContext, url: string, room: Room): Promise<Big> {
  const address = `${url}/alert/${room.tracedUid}/trace`;
  const times = await measureFirst(context, address, '[role=treeitem]', rounds);
  const page = await openPage(context, address);
  const all = traceFrames.toLocaleString('en');
  await page.getByText(`of ${all} frames are read so far`).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open all' }).click();
  await page.getByText(`${all} of ${all} shown`).waitFor();
  const scroll = await scrollThrough(page, "document.querySelector('.call-tree')");
  const find = page.getByRole('searchbox', { name: 'Find a call' });
  await find.click();
  await page.keyboard.type('transfer', { delay: 60 });
  await find.fill('');
  await find.click();
  await page.keyboard.type('0xf39', { delay: 60 });
  await find.fill('');
  for (const label of ['Touches us', 'Hide reads', 'Fold proxies']) {
    await page.getByLabel(label).click();
    await page.getByLabel(label).click();
  }
  await page.getByRole('treeitem').nth(3).click();
  for (const key of [
    'ArrowDown',
    'ArrowDown',
    'ArrowLeft',
    'ArrowLeft',
    'ArrowRight',
    'End',
    'Home',
    'PageDown',
  ])
    await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Close all' }).click();
  await page.getByRole('button', { name: 'Open all' }).click();
  return { times, scroll, interactions: await interactionsOf(page) };
}

async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(noteInteractions);
  await page.goto(url);
  return page;
}

async function interactionsOf(page: Page): Promise<Interaction[]> {
  await page.waitForTimeout(300);
  const found = (await page.evaluate('window.interactions')) as Interaction[];
  await page.close();
  return found.sort(([a], [b]) => b - a);
}
