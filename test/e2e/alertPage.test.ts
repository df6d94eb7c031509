import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

describe('the page behind the link of a notification', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let vigil: Vigil;
  let browser: Browser;
  let page: Page;
  let link: string;
  const faults: string[] = [];

  beforeAll(async () => {
    if (!executablePath) return;
    workspace = await createWorkspace();
    [vigil, browser] = await Promise.all([
      // Nothing listens there: the mail is only looked at.
      workspace.serve(workspace.folder('data'), { VIGIL_SMTP_URL: 'smtp://127.0.0.1:9' }),
      chromium.launch({ executablePath, args: ['--no-sandbox'] }),
    ]);
    const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
    const { detectorId } = await addSource(vigil, tenant.id);
    const { results } = await vigil.post('/detector/{id}/alert', {
      path: { id: detectorId },
      body: {
        alerts: [
          {
            eid: 'e-1',
            name: 'Drained',
            severity: 'CRITICAL',
            message: 'The vault lost <img src=x onerror=alert(1)> 5 ETH.',
            meta: { thief: '0xBad', '<b>': '<script>alert(1)</script>' },
          },
        ],
      },
    });
    const destination = await vigil.post('/destination', {
      body: {
        tenantId: tenant.id,
        type: 'EMAIL',
        value: 'ops@example.com',
      },
    });
    const preview = await vigil.post('/destination/{id}/preview', {
      path: { id: destination.id },
      body: {
        alertUid: results[0]!.uid,
      },
    });
    link = /https?:\/\/\S+\/alert\/[0-9a-f-]+/.exec(String(preview.text))?.[0] ?? '';
    await vigil.post('/user', {
      body: {
        tenantId: tenant.id,
        name: 'Alice',
        email: 'alice@example.com',
        password: 'correct horse battery',
        roles: ['tenant-user'],
      },
    });
    page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  afterAll(async () => {
    await browser?.close();
    await workspace?.remove();
  });
  beforeEach(({ skip }) => skip(!executablePath, 'Chromium is not installed'));

  it('asks who is there, and says what is wrong with a password', async () => {
    expect(link).toContain(`${vigil.url}/alert/`);
    await page.goto(link);
    await page.getByLabel('E-mail address').fill('alice@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
    expect(await page.locator('.alert-view').isVisible()).toBe(false);
  });

  it('shows the alert with its evidence, every text as a text', async () => {
    await page.getByLabel('E-mail address').fill('alice@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Drained' }).waitFor();
    const view = page.locator('.alert-view');
    expect(await view.textContent()).toContain('CRITICAL');
    expect(await view.textContent()).toContain('The vault lost <img src=x onerror=alert(1)> 5 ETH.');
    expect(await view.textContent()).toContain('<script>alert(1)</script>');
    await view.getByRole('link', { name: 'Treasury' }).waitFor();
    expect(await page.title()).toBe('CRITICAL: Drained – Vigil');
  });

  it('marks it as resolved, which the API shows as well, and keeps the sign-in while the tab is open', async () => {
    await page.getByRole('button', { name: 'Mark as resolved' }).click();
    await page.getByRole('button', { name: 'Open it again' }).waitFor();
    expect((await vigil.get('/alert/{uid}', { path: { uid: link.split('/').at(-1)! } })).status).toBe(
      'RESOLVED',
    );
    await page.reload();
    await page.getByRole('button', { name: 'Open it again' }).waitFor();
  });

  it('reveals nothing of an alert that the reader may not see', async () => {
    await page.goto(link.replace(/[0-9a-f]{12}$/, '000000000000'));
    await page.getByText('There is no such alert, or you may not see it.').waitFor();
    expect(faults).toEqual([]);
  });
});
