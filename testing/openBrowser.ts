import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * The headless Chromium of the npm package, which takes a third of the processor time of a whole one. Where it lacks a library of
 * the system, and where a whole one is asked for, the Chromium of the system.
 */
export async function openBrowser({ isWhole = false } = {}): Promise<Browser> {
  const whole = installed.find((path) => existsSync(path));
  if (isWhole) return launch(whole ?? (await sparticuz.executablePath()));
  try {
    return await launch(await unpackHeadless());
  } catch (error) {
    if (!whole) throw error;
    return launch(whole);
  }
}

function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--force-prefers-reduced-motion'],
    // Without a language of the system, that of the npm package gives pages a locale that `Intl` refuses.
    env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
  });
}

/** Once for all runs; the rename keeps a worker from starting what another one is still writing. */
async function unpackHeadless(): Promise<string> {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
    '..',
    '..',
    'bin',
  );
  const program = join(folder, 'chromium');
  if (existsSync(program)) return program;
  const draft = `${program}.${randomUUID()}`;
  const packed = createReadStream(`${program}.br`);
  await pipeline(packed, createBrotliDecompress(), createWriteStream(draft, { mode: 0o755 }));
  await rename(draft, program);
  return program;
}

/** Collects what must never happen on a page: errors, dialogs, refused content, requests to elsewhere. */
export function watchFaults(page: Page, origin: string, faults: string[] = []): string[] {
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('blob:'))
      faults.push(`request to ${request.url().slice(0, 200)}`);
  });
  return faults;
}
