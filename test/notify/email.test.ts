import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import type { Message } from '../../src/model/notification.ts';
import { createEmailSender } from '../../src/notify/createEmailSender.ts';
import { createMailer } from '../../src/notify/createMailer.ts';
import { bodyOf, headersOf, type SmtpSink, startSmtpSink } from '../../testing/startSmtpSink.ts';
import { alertMessage as message, targetOf } from './support/messages.ts';

const from = 'Vigil <alerts@vigil.example>';
const never = new AbortController().signal;

const target = (value: string | null) => targetOf({ type: 'EMAIL', value });

describe('mails', () => {
  let sink: SmtpSink;
  let mailer: ReturnType<typeof createMailer>;
  let sender: ReturnType<typeof createEmailSender>;
  beforeAll(async () => {
    sink = await startSmtpSink();
    mailer = createMailer({ url: new Secret(sink.url), from });
    sender = createEmailSender(mailer);
  });
  afterEach(() => {
    sink.mails.length = 0;
    sink.hold(0);
  });
  afterAll(async () => {
    await mailer.close();
    await sink.stop();
  });
  const send = (to: string | null, ...messages: Message[]) => sender.send(target(to), messages, never);

  it('carry text and HTML, and are what the preview shows', async () => {
    expect(await send('ops@example.com', message('d-1'))).toEqual({ ok: true, status: 250 });
    const [mail] = sink.mails;
    expect(mail).toMatchObject({ from: 'alerts@vigil.example', to: ['ops@example.com'] });
    const shown = sender.render(target('ops@example.com'), [message('d-1')]);
    expect(shown).toMatchObject({ type: 'EMAIL', to: 'ops@example.com', subject: '[HIGH] Large transfer' });
    const body = bodyOf(mail!);
    expect(body).toContain('A lot left.');
    expect(body).toContain('<h1');
    expect(headersOf(mail!).get('subject')).toEqual(['[HIGH] Large transfer']);
    expect(headersOf(mail!).get('auto-submitted')).toEqual(['auto-generated']);
  });

  it('are recognised when they come twice, and hang together with the retraction of the same alert', async () => {
    await send('ops@example.com', message('d-1'));
    await send('ops@example.com', message('d-1'));
    await send('ops@example.com', { ...message('d-2'), type: 'alert.retracted' });
    const [first, again, retraction] = sink.mails.map(headersOf);
    expect(first?.get('message-id')).toEqual(['<d-1@vigil.example>']);
    expect(again?.get('message-id')).toEqual(first?.get('message-id'));
    expect(retraction?.get('message-id')).toEqual(['<d-2@vigil.example>']);
    expect(retraction?.get('references')).toEqual(first?.get('references'));
    expect(retraction?.get('in-reply-to')).toEqual(['<alert-a-1@vigil.example>']);
  });

  it('mails about one incident have one subject and one thread', async () => {
    const alert = (uid: string, name: string) => message(uid, { uid, name, incidentUid: 'i-1' });
    const first = await send('ops@example.com', alert('d-1', 'First'));
    expect(first).toEqual({ ok: true, status: 250, ref: '[HIGH] First' });
    const earlier = { ref: '[HIGH] First', isNews: false };
    expect(
      await sender.send(target('ops@example.com'), [alert('d-2', 'Second')], never, earlier),
    ).toMatchObject({ ref: earlier.ref });
    const [one, other] = sink.mails.map(headersOf);
    expect(other?.get('subject')).toEqual(['Re: [HIGH] First']);
    expect(other?.get('references')).toEqual(one?.get('references'));
    expect(bodyOf(sink.mails[1]!)).toContain('Second');
    await sender.send(target('ops@example.com'), [alert('d-3', 'Worse')], never, {
      ...earlier,
      isNews: true,
    });
    expect(headersOf(sink.mails[2]!).get('subject')).toEqual(['[HIGH] Worse']);
    expect(headersOf(sink.mails[2]!).get('references')).toEqual(one?.get('references'));
  });

  it('are one for many messages, and another one as soon as one more message is in it', async () => {
    const [a, b, c] = [message('d-1'), message('d-2', { uid: 'a-2' }), message('d-3', { uid: 'a-3' })];
    await send('ops@example.com', a, b);
    await send('ops@example.com', b, a);
    await send('ops@example.com', a, b, c);
    const ids = sink.mails.map((mail) => headersOf(mail).get('message-id')?.[0]);
    expect(headersOf(sink.mails[0]!).get('subject')).toEqual(['2 alerts: 2 HIGH']);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('never go to an address that could add a recipient or a command', async () => {
    const before = sink.connections();
    const hostile = [
      'a@x\r\nRCPT TO:<evil@x>',
      'a@example.com\r\nBcc: evil@example.com',
      'a@example.com\nDATA',
      'a@example.com, evil@example.com',
      'a@example.com;evil@example.com',
      '<a@example.com> <evil@example.com>',
      '"a b"@example.com',
      'a@example.com>\0',
      'group:evil@example.com;',
      'a@[127.0.0.1]',
      'a b@example.com',
      'a@exa mple.com',
      'a@example.com SIZE=1',
      'aa\u2028@example.com',
      '@example.com',
      'nobody',
      '',
      null,
    ];
    for (const to of hostile)
      expect(await send(to, message('d-1')), JSON.stringify(to)).toMatchObject({
        ok: false,
        permanent: true,
      });
    expect(sink.connections()).toBe(before);
    expect(sink.mails).toEqual([]);
  });

  it('get no header from a hostile name', async () => {
    const name = 'x\r\nBcc: evil@example.com\r\n\r\n<b>body</b> \u202E =?utf-8?q?evil?=';
    expect(
      await send('ops@example.com', message('d\r\nX-Evil: 1', { uid: `a\r\nX-Evil: 1`, name })),
    ).toMatchObject({ ok: true });
    const headers = headersOf(sink.mails[0]!);
    expect(sink.mails[0]?.to).toEqual(['ops@example.com']);
    expect([...headers.keys()].filter((header) => /bcc|evil/.test(header))).toEqual([]);
    expect(headers.get('subject')).toHaveLength(1);
  });

  it.each([
    ['451 4.7.1 Greylisted, come back later', { ok: false, status: 451 }, []],
    ['452 4.2.2 Mailbox full', { ok: false, status: 452 }, []],
    ['550 5.7.1 Not from you', { ok: false, status: 550, permanent: true }, ['permanent']],
    [
      '550 5.1.1 No such user',
      { ok: false, status: 550, permanent: true, gone: true },
      ['permanent', 'gone'],
    ],
  ])('tell a refusal for now from one for good: %s', async (answer, outcome, flags) => {
    sink.refuse(answer);
    const got = await send('ops@example.com', message('d-1'));
    expect(got).toMatchObject(outcome);
    expect(new Set(Object.keys(got).filter((key) => key === 'permanent' || key === 'gone'))).toEqual(
      new Set(flags),
    );
    expect(await send('ops@example.com', message('d-1'))).toEqual({ ok: true, status: 250 });
  });

  it('report the same for a refused body', async () => {
    sink.refuseBody('421 4.3.2 Shutting down', '554 5.6.0 Not wanted');
    const [soft, hard] = [
      await send('o@example.com', message('d-1')),
      await send('o@example.com', message('d-1')),
    ];
    expect(soft).toMatchObject({ ok: false, status: 421 });
    expect(soft).not.toHaveProperty('permanent');
    expect(hard).toMatchObject({ ok: false, status: 554, permanent: true });
  });

  it('do not keep anybody waiting longer than the time of the attempt', async () => {
    sink.hold(240_000);
    const slow = Array.from({ length: 6 }, (_, i) =>
      sender.send(target('slow@example.com'), [message(`slow-${i}`)], AbortSignal.timeout(300)),
    );
    const outcomes = await Promise.all(slow);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: false });
    // Four were on their way; of the others nobody was asked anything.
    expect(outcomes.filter((outcome) => 'unsent' in outcome && outcome.unsent)).toHaveLength(2);
    expect(sink.mails).toEqual([]);
    sink.hold(0);
    expect(await send('ops@example.com', message('after'))).toMatchObject({ ok: true });
    // Those that had not begun when their time was over never begin.
    expect(sink.mails.filter(({ to }) => to[0] === 'slow@example.com').length).toBeLessThanOrEqual(4);
  });
});

describe('a mail server that does not work', () => {
  it('leaves the mail to be tried again when it cannot be reached', async () => {
    const sink = await startSmtpSink();
    await sink.stop();
    const mailer = createMailer({ url: new Secret(sink.url), from });
    const outcome = await createEmailSender(mailer).send(target('a@example.com'), [message('d-1')], never);
    expect(outcome).toMatchObject({ ok: false });
    expect(outcome).not.toHaveProperty('permanent');
    await mailer.close();
  });

  it('retries when the operator must fix the login, and shows no password', async () => {
    const sink = await startSmtpSink({ password: 'right' });
    const mailer = createMailer({ url: new Secret(sink.url), from });
    const outcome = await createEmailSender(mailer).send(target('a@example.com'), [message('d-1')], never);
    expect(outcome).toMatchObject({ ok: false, status: 535 });
    expect(outcome).not.toHaveProperty('permanent');
    expect(JSON.stringify(outcome)).not.toContain('wrong');
    await mailer.close();
    await sink.stop();
  });

  it.each(['', 'nobody', 'Vigil <a@x\r\nRCPT TO:<b@x>>'])('does not start with the sender %j', (sender) => {
    expect(() => createMailer({ url: new Secret('smtp://127.0.0.1:1'), from: sender })).toThrow(
      'VIGIL_MAIL_FROM',
    );
  });
});
