import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of the system where there is one, else the one of the npm package. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = installed.find((path) => existsSync(path)) ?? (await sparticuz.executablePath());
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--force-prefers-reduced-motion'],
    // Without a language of the system, that of the npm package gives pages a locale that `Intl` refuses.
    env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
  });
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
