import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page as it is now. */
export async function axeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // Of what passes no details, and no second download of the style sheets, which only a rule that is off would need.
    const options = { resultTypes: ['violations'], preload: false };
    return (await axe.run(options)).violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`,
    );
  });
}
