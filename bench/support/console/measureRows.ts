import type { BrowserContext, Page } from 'playwright-core';

/** Records when the first element of the selector is on screen, as `window.firstAt`. */
const noteFirst = (selector: string) => `new MutationObserver((_, observer) => {
  if (!document.querySelector(${JSON.stringify(selector)})) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.firstAt = performance.now(); });
}).observe(document, { childList: true, subtree: true });`;

/** Milliseconds from the navigation until the first alerts are on screen, sorted; each time in a new page. */
export const measureRows = (context: BrowserContext, url: string) =>
  measureFirst(context, `${url}/alerts`, '[role=row][data-index]');

/** The same until an element of the selector is on screen. */
export async function measureFirst(
  context: BrowserContext,
  url: string,
  selector: string,
  rounds = 15,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const page = await context.newPage();
    await page.addInitScript(noteFirst(selector));
    await page.goto(url);
    await page.locator(selector).first().waitFor();
    const time = Number(
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => done(window.firstAt)))'),
    );
    // The first one fills the cache of the browser, as the first visit of a person does.
    if (round > 0) times.push(time);
    await page.close();
  }
  return times.sort((a, b) => a - b);
}

export type Scroll = {
  /** Milliseconds between the frames, sorted. */
  frames: number[];
  /** Processor milliseconds of the main thread for a frame, which a busy machine changes little. */
  cpuMs: number;
};

/** A scroll through all rows of the table, and one through a bare list of the same size: what the machine itself needs. */
export async function measureScroll(
  page: Page,
  url: string,
  rows: number,
): Promise<Record<'table' | 'bare', Scroll>> {
  await page.goto(`${url}/alerts`);
  await page.locator('[data-index="0"]').focus();
  while ((await page.locator(`[data-index="${rows - 1}"]`).count()) === 0) await page.keyboard.press('End');
  const table = await scrollThrough(page, bodyOfTable);
  // In the same place of the same page, so that nothing but the rows differs.
  await page.evaluate(`(() => {
    const body = document.querySelector('.data-body');
    const height = document.querySelector('[data-index]').offsetHeight;
    const list = body.cloneNode(false);
    body.replaceWith(list);
    const space = list.appendChild(document.createElement('div'));
    space.style = 'position: relative; height: ' + ${rows} * height + 'px';
    const pool = Array.from({ length: Math.ceil(list.clientHeight / height) + 1 }, () => {
      const row = space.appendChild(document.createElement('div'));
      row.style = 'position: absolute; contain: strict; left: 0; right: 0; height: ' + height + 'px';
      return row.appendChild(document.createTextNode(''));
    });
    const draw = () => {
      const first = Math.floor(list.scrollTop / height);
      pool.forEach((text, offset) => {
        text.data = 'Row ' + (first + offset) + ' of a list that has nothing but one line of text in each row of it';
        text.parentNode.style.top = (first + offset) * height + 'px';
      });
    };
    list.addEventListener('scroll', draw, { passive: true });
    draw();
  })()`);
  return { table, bare: await scrollThrough(page, bodyOfTable) };
}

const bodyOfTable = "document.querySelector('.data-body')";

/** Scrolls an element, given as an expression, from its top to its end by 700 pixels a frame. */
export async function scrollThrough(page: Page, element: string): Promise<Scroll> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  await page.evaluate(`new Promise((resolve) => {
    ${element}.scrollTop = 0;
    // What the jump to the top leaves behind is no part of the scroll.
    setTimeout(resolve, 500);
  })`);
  const before = await busySeconds();
  const frames = (await page.evaluate(`new Promise((resolve) => {
    const body = ${element};
    const times = [];
    let last;
    const step = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      body.scrollTop += 700;
      if (body.scrollTop + body.clientHeight >= body.scrollHeight - 1) resolve(times);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`)) as number[];
  const cpuMs = (1000 * ((await busySeconds()) - before)) / frames.length;
  await devTools.detach();
  return { frames: frames.sort((a, b) => a - b), cpuMs };
}
