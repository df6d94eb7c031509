import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toEgress } from '../../src/lib/egress.ts';
import type { Message, Target } from '../../src/model/notification.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { type Alertmanager, startAlertmanager } from '../../testing/startAlertmanager.ts';
import { type Discord, startDiscord } from '../../testing/startDiscord.ts';
import { startTeams } from '../../testing/startTeams.ts';
import { alertMessage, targetOf } from './support/messages.ts';
import { loopback } from './support/notifyWorld.ts';

const never = new AbortController().signal;
const now = Date.UTC(2026, 10, 16);
const sender = createRequestSender({ egress: toEgress(loopback()), now: () => now });
afterAll(() => sender.close());

const hostile = '</b>[x](https://evil.example) <@everyone> **b** \u202E `c` @all'.repeat(30);
const long = 'very long text '.repeat(2000);
const ping: Message = { uid: 'u', sequence: 1, type: 'ping', timestamp: now, data: {} };
/** Messages of every shape that a platform must take: hostile, long, a digest, and one without data. */
const shapes: [string, readonly Message[]][] = [
  ['a test', [ping]],
  ['an alert', [alertMessage('d-1', { links: { alert: 'https://vigil.example.com/alert/a-1' } })]],
  ['hostile texts', [alertMessage('d-1', { name: hostile, message: hostile, meta: { [hostile]: hostile } })]],
  ['long texts', [alertMessage('d-1', { name: long, message: long, meta: { one: long, two: long } })]],
  ['no data', [{ ...ping, type: 'alert.detector.raised' }]],
  ['an expiring subscription', [{ ...ping, type: 'subscription.expiring', data: { daysLeft: 3 } }]],
];
const digest: [string, readonly Message[]] = [
  'a hundred alerts',
  Array.from({ length: 100 }, (_, index) =>
    alertMessage(`d-${index}`, { name: `${hostile} ${index}`, message: long, contract: { name: hostile } }),
  ),
];
const errorsOf = async (
  target: Target,
  statuses: number[],
  answer: (...answers: { status: number }[]) => void,
) => {
  answer(...statuses.map((status) => ({ status })));
  const outcomes = [];
  for (const _ of statuses) outcomes.push(await sender.send(target, [alertMessage('d-1')], never));
  return outcomes;
};

describe('a card in Teams', () => {
  let teams: Awaited<ReturnType<typeof startTeams>>;
  let target: Target;
  beforeAll(async () => {
    teams = await startTeams();
    target = targetOf({ type: 'TEAMS', settings: { webhookUrl: teams.webhookUrl } });
  });
  afterAll(() => teams.stop());

  it.each([...shapes, digest])('is taken for %s', async (_name, messages) => {
    expect(await sender.send(target, messages, never)).toEqual({ ok: true, status: 202 });
  });

  it('is as the preview shows it, without the signature in its address', async () => {
    await sender.send(target, shapes[1]![1], never);
    const shown = sender.render(target, shapes[1]![1]);
    expect(shown.body).toBe(teams.taken.at(-1)!.text);
    expect(JSON.stringify(shown)).not.toContain('teams-secret');
    expect(shown.uri).toBe(`${new URL(teams.url).origin}/[sealed]`);
  });

  it('disables a destination whose workflow is gone, and waits for one that is switched off or too busy', async () => {
    const outcomes = await errorsOf(target, [404, 413, 429, 502], teams.answer);
    expect(outcomes).toMatchObject([
      { gone: true },
      { permanent: true },
      { retryAfterMs: 30_000 },
      { status: 502 },
    ]);
    teams.answer({ status: 400, body: { error: { code: 'WorkflowTriggerIsNotEnabled' } } });
    expect(await sender.send(target, [ping], never)).not.toHaveProperty('permanent');
    const wrong = { ...target, settings: { webhookUrl: `${teams.url}/workflows/x?sig=teams-secret-other` } };
    const refused = await sender.send(wrong, [ping], never);
    expect(refused).toMatchObject({ ok: false, permanent: true });
    expect(JSON.stringify(refused)).not.toContain('teams-secret');
  });
});

describe('a message in Discord', () => {
  let discord: Discord;
  let target: Target;
  beforeAll(async () => {
    discord = await startDiscord();
    target = targetOf({ type: 'DISCORD', settings: { webhookUrl: `${discord.webhookUrl}?thread_id=9` } });
  });
  beforeEach(() => {
    discord.taken.length = 0;
  });
  afterAll(() => discord.stop());

  it.each([...shapes, digest])('is taken for %s, and calls no one', async (_name, messages) => {
    expect(await sender.send(target, messages, never)).toMatchObject({ ok: true, status: 200 });
    const { body, query } = discord.taken[0]!;
    expect(body.allowed_mentions).toEqual({ parse: [] });
    expect(query.get('thread_id')).toBe('9');
    const { title, description, fields } = body.embeds[0];
    const text = [title, description, ...fields.map(({ value }: { value: string }) => value)].join('\n');
    expect(text.replace(/\[[^\]\\]*\]\(https:\/\/vigil\.example\.com[^)]*\)/g, '')).not.toMatch(
      /(?<!\\)(\*\*|`|\[x\]\(|<@)/,
    );
  });

  it('grows with its incident by its id, and is followed by another one when it was deleted', async () => {
    const first = alertMessage('d-1', { incidentUid: 'i-1' });
    const sent = await sender.send(target, [first], never);
    const ref = sent.ok ? sent.ref! : '';
    expect(discord.messages.has(ref)).toBe(true);
    const second = alertMessage('d-2', { incidentUid: 'i-1', name: 'Second' });
    const earlier = { ref, isNews: false, grown: { messages: [first, second], total: 2 } };
    expect(await sender.send(target, [second], never, earlier)).toEqual({ ok: true, status: 200, ref });
    expect(discord.messages.get(ref)!.embeds[0].title).toContain('2 alerts');
    const count = discord.messages.size;
    discord.messages.delete(ref);
    const again = await sender.send(target, [second], never, earlier);
    expect(again).toMatchObject({ ok: true });
    expect(again.ok && again.ref).not.toBe(ref);
    expect(discord.messages.size).toBe(count);
    const foreign = { ...earlier, ref: '-100 7' };
    expect(await sender.send(target, [second], never, foreign)).toMatchObject({ ok: true });
  });

  it('waits as long as the platform asks, and disables a destination whose webhook is gone', async () => {
    discord.answer({
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 1.25, global: false },
    });
    expect(await sender.send(target, [ping], never)).toMatchObject({ status: 429, retryAfterMs: 1250 });
    const gone = { ...target, settings: { webhookUrl: `${discord.url}/api/webhooks/1/discord-secret-gone` } };
    const outcome = await sender.send(gone, [ping], never);
    expect(outcome).toMatchObject({ ok: false, status: 404, gone: true });
    expect(JSON.stringify(outcome)).not.toContain('discord-secret');
    const outcomes = await errorsOf(target, [400, 401, 500], discord.answer);
    expect(outcomes).toMatchObject([{ permanent: true }, { gone: true }, { status: 500 }]);
  });
});

describe('an alert in the Alertmanager', () => {
  let manager: Alertmanager;
  let target: Target;
  const authorization = 'Bearer manager-secret';
  beforeAll(async () => {
    manager = await startAlertmanager(authorization);
    target = targetOf({
      type: 'ALERTMANAGER',
      settings: { url: `${manager.url}/`, authorization, holdHours: 168 },
    });
  });
  beforeEach(() => manager.alerts.clear());
  afterAll(() => manager.stop());

  it.each(shapes)('is taken for %s', async (_name, [message]) => {
    expect(await sender.send(target, [message!], never)).toEqual({ ok: true, status: 200 });
  });

  it('has the same labels from its beginning to its end, which comes when it is resolved or retracted', async () => {
    const contract = { name: 'Vault', address: '0x11', chainUid: 'ethereum' };
    const data = {
      incidentUid: 'i-1',
      contract,
      timestamp: now - 1000,
      links: { alert: 'https://a.example/' },
    };
    const message = alertMessage('d-1', data);
    await sender.send(target, [message], never);
    const [open] = [...manager.alerts.values()];
    expect(open).toMatchObject({
      labels: {
        alertname: 'Large transfer',
        severity: 'high',
        alert_uid: 'a-1',
        incident: 'i-1',
        chain: 'ethereum',
      },
      annotations: { description: 'A lot left.' },
      startsAt: new Date(now - 1000).toISOString(),
      endsAt: new Date(now + 168 * 3_600_000).toISOString(),
      generatorURL: 'https://a.example/',
    });
    await sender.send(target, [{ ...message, type: 'alert.retracted', state: { isOpen: false } }], never);
    expect(manager.alerts.size).toBe(1);
    expect([...manager.alerts.values()][0]!.endsAt).toBe(new Date(now).toISOString());
    // A message that is sent again late does not open it again.
    await sender.send(target, [{ ...message, state: { isOpen: false } }], never);
    expect([...manager.alerts.values()][0]!.endsAt).toBe(new Date(now).toISOString());
  });

  it('does not show the authorization that it needs', async () => {
    expect(JSON.stringify(sender.render(target, [ping]))).not.toContain('manager-secret');
    const wrong = {
      ...target,
      settings: { ...target.settings, authorization: 'Bearer manager-secret-other' },
    };
    const outcome = await sender.send(wrong, [ping], never);
    expect(outcome).toMatchObject({ ok: false, status: 401 });
    expect(JSON.stringify(outcome)).not.toContain('manager-secret');
  });
});
