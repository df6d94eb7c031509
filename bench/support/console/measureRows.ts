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
  const table = await scrollThrough(page);
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
  return { table, bare: await scrollThrough(page) };
}

async function scrollThrough(page: Page): Promise<Scroll> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  await page.evaluate(`new Promise((resolve) => {
    document.querySelector('.data-body').scrollTop = 0;
    // What the jump to the top leaves behind is no part of the scroll.
    setTimeout(resolve, 500);
  })`);
  const before = await busySeconds();
  const frames = (await page.evaluate(`new Promise((resolve) => {
    const body = document.querySelector('.data-body');
    const times = [];
    let last;
    const step = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      body.scrollTop += 700;
      if (body.scrollTop + body.clientHeight >= body.scrollHeight) resolve(times);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`)) as number[];
  const cpuMs = (1000 * ((await busySeconds()) - before)) / frames.length;
  await devTools.detach();
  return { frames: frames.sort((a, b) => a - b), cpuMs };
}
