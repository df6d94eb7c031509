import type { Page } from 'playwright-core';

export const noteInteractions = `window.interactions = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (entry.interactionId) window.interactions.push([entry.duration, entry.name, location.pathname]);
}).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

export type Interaction = [ms: number, event: string, path: string];

/**
 * Milliseconds from an input until the next paint, slowest first, in steps of 8 ms as browsers round them. What was faster
 * than 16 ms is not listed.
 */
export async function measureInteractions(page: Page, url: string): Promise<Interaction[]> {
  await page.addInitScript(noteInteractions);
  await page.goto(`${url}/alerts`);
  const { keyboard } = page;
  const rows = page.getByRole('grid', { name: 'Alerts' }).getByRole('row');
  await rows.nth(3).waitFor();
  for (const index of [2, 5, 8]) {
    await rows.nth(index).click();
    await page.getByRole('dialog').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await rows.nth(1).focus();
  for (let count = 0; count < 20; count++) await keyboard.press('j');
  for (let count = 0; count < 5; count++) await keyboard.press('Space');
  await page.getByLabel('Tick all rows').click();
  await page.getByLabel('Tick all rows').click();
  await page
    .getByRole('complementary')
    .getByRole('button', { name: /^CRITICAL/ })
    .click();
  await page.getByLabel('Query').click();
  await keyboard.type(' AND name:transfer');
  await keyboard.press('Escape');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Live' }).click();
  await page.getByLabel('Time range').selectOption('7d');
  await keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  await keyboard.type('vault');
  await page.getByRole('option', { name: /Vault/ }).first().waitFor();
  await keyboard.press('Escape');
  for (const name of ['Overview', 'Incidents', 'Contracts', 'Detectors', 'Actions', 'Destinations', 'Scores'])
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Detectors' }).click();
  await page.getByRole('link', { name: 'Catalogue' }).click();
  await page.getByLabel('Search the catalogue').click();
  await keyboard.type('transfer');
  await page.waitForTimeout(300);
  const found = (await page.evaluate('window.interactions')) as Interaction[];
  return found.sort(([a], [b]) => b - a);
}
