import type { BrowserContext, Page } from 'playwright-core';

const rounds = 15;
const noteFirstRow = `new MutationObserver((_, observer) => {
  if (!document.querySelector('[role=row][data-index]')) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.firstRowAt = performance.now(); });
}).observe(document, { childList: true, subtree: true });`;

/** Milliseconds from the navigation until the first alerts are on screen, sorted; each time in a new page. */
export async function measureRows(context: BrowserContext, url: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const page = await context.newPage();
    await page.addInitScript(noteFirstRow);
    await page.goto(`${url}/alerts`);
    await page.locator('[data-index="0"]').waitFor();
    const time = Number(
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => done(window.firstRowAt)))'),
    );
    // The first one fills the cache of the browser, as the first visit of a person does.
    if (round > 0) times.push(time);
    await page.close();
  }
  return times.sort((a, b) => a - b);
}

/** Milliseconds between the frames of a scroll through all rows, sorted. */
export async function measureScroll(page: Page, url: string, rows: number): Promise<number[]> {
  await page.goto(`${url}/alerts`);
  await page.locator('[data-index="0"]').focus();
  while ((await page.locator(`[data-index="${rows - 1}"]`).count()) === 0) await page.keyboard.press('End');
  const frames = await page.evaluate(`new Promise((resolve) => {
    const body = document.querySelector('.data-body');
    body.scrollTop = 0;
    const times = [];
    let last;
    const step = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      body.scrollTop += 700;
      if (body.scrollTop + body.clientHeight >= body.scrollHeight) resolve(times);
      else requestAnimationFrame(step);
    };
    // What the jump to the top has left behind is no part of the scroll.
    setTimeout(() => requestAnimationFrame(step), 500);
  })`);
  return (frames as number[]).sort((a, b) => a - b);
}
