import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { bodyOf, startSmtpSink } from '../../testing/startSmtpSink.ts';
import { until } from '../../testing/until.ts';
import { canary, findLeaks, findLeaksInFiles } from '../support/findLeaks.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: Awaited<ReturnType<typeof startSmtpSink>>;
beforeAll(async () => {
  [workspace, sink] = await Promise.all([createWorkspace(), startSmtpSink()]);
});
afterAll(async () => {
  await workspace.remove();
  await sink.stop();
});

it('mails an invite with the address that its maker gave, and an alert to a mail destination', async () => {
  const vigil = await workspace.serve(workspace.folder('data'), {
    VIGIL_SMTP_URL: sink.url,
    VIGIL_MAIL_FROM: 'vigil@example.com',
    VIGIL_INVITE_ORIGINS: 'https://console.example.com',
    VIGIL_LOG_LEVEL: 'trace',
  });
  const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
  await vigil.post('/invite', {
    body: {
      tenantId: tenant.id,
      email: 'bob@example.com',
      roles: ['tenant-viewer'],
      url: 'https://console.example.com/welcome',
    },
  });
  const invite = await until(() => sink.mails.find(({ to }) => to.includes('bob@example.com')));
  const inviteSecret = /console\.example\.com\/welcome\S*invite=([\w-]+)/.exec(bodyOf(invite))?.[1];

  const { detectorId } = await addSource(vigil, tenant.id);
  // Nothing is bound, so that the tag decides.
  await vigil.post('/destination', {
    body: {
      tenantId: tenant.id,
      type: 'EMAIL',
      value: 'ops@example.com',
      tags: ['DEFAULT'],
    },
  });
  const asked = await until(() => sink.mails.find(({ to }) => to.includes('ops@example.com')));
  const code = /destination\/confirm\/([\w-]+)/.exec(bodyOf(asked))![1]!;
  expect((await vigil.call('GET', `/destination/confirm/${code}`)).text).toContain('Confirm');
  await vigil.post('/destination/confirm/{code}', { path: { code } });
  await vigil.post('/detector/{id}/alert', {
    path: { id: detectorId },
    body: { alerts: [{ eid: 'e-1', severity: 'CRITICAL', message: 'The vault was drained.' }] },
  });
  const alert = await until(() => sink.mails.filter(({ to }) => to.includes('ops@example.com'))[1]);
  expect(bodyOf(alert)).toContain('The vault was drained.');

  // The links were secrets of those who got the mail.
  const { stdout, stderr } = await vigil.stop();
  const links = [canary('invite link', inviteSecret!), canary('confirmation link', code)];
  expect(stderr.split('\n').length).toBeGreaterThan(10);
  expect(findLeaks(links, stdout + stderr)).toEqual([]);
  expect(await findLeaksInFiles(links, vigil.dataDir)).toEqual([]);
});
