import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Seeded } from './seedConsole.ts';

export const perSecond = 200;
const batchesPerSecond = 4;

export type Tail = {
  /** Bytes of the heap after a garbage collection, at each fifth of the time. */
  heaps: number[];
  /** Nodes of the document at the same times. */
  nodes: number[];
  pushed: number;
};

/** The live tail open while alerts come in at a steady rate. */
export async function measureTail(page: Page, url: string, seeded: Seeded, seconds: number): Promise<Tail> {
  await page.goto(`${url}/alerts?live=1`);
  await page.locator('[data-index="0"]').waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const read = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { heap: of('JSHeapUsedSize'), nodes: of('Nodes') };
  };
  const tail: Tail = { heaps: [], nodes: [], pushed: 0 };
  const began = performance.now();
  const batches = seconds * batchesPerSecond;
  for (let batch = 1; batch <= batches; batch++) {
    await seeded.push(perSecond / batchesPerSecond);
    tail.pushed += perSecond / batchesPerSecond;
    await sleep(Math.max(0, began + (batch * 1000) / batchesPerSecond - performance.now()));
    if (batch % Math.floor(batches / 5) !== 0) continue;
    const { heap, nodes } = await read();
    tail.heaps.push(heap);
    tail.nodes.push(nodes);
  }
  await page.getByText('1,000 new').waitFor();
  await session.detach();
  return tail;
}
