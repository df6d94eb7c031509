import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes, type Message } from '../../model/notification.ts';
import { digestStory } from './digestStory.ts';
import { toHtml } from './toHtml.ts';
import { toMessengerAText } from './toMessengerAText.ts';
import { toMessengerBBlocks } from './toMessengerBBlocks.ts';
import { toPlainText } from './toPlainText.ts';
import { toStory } from './toStory.ts';

const alert = {
  uid: '0197f1a2-0000-7000-8000-000000000001',
  severity: 'CRITICAL',
  name: 'Large transfer',
  message: '1,000,000 USDC left the vault.',
  timestamp: Date.UTC(2026, 10, 15, 5, 29, 3),
  chainUid: 'ethereum',
  txHash: '0xabc',
  blockNumber: 123,
  tags: ['treasury'],
  meta: { from: '0x1111', amount: '1000000' },
  contract: { id: 1, name: 'Vault', address: '0x2222', chainUid: 'ethereum' },
  project: { id: 1, name: 'Acme' },
  links: { explorer: 'https://etherscan.io/tx/0xabc', alert: 'https://console.example.com/alert/1' },
};

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=https://evil.example/x.png onerror=alert(1)>',
  '<!channel> <@U123> <https://evil.example|click>',
  '*bold* _it_ `code` ~s~ @everyone',
  '</b></code><a href="https://evil.example">x</a>',
  'line\r\nBcc: evil@example.com',
  '\u202Ereversed\u202C \u0000\u0007\u200B',
  '&lt;b&gt; &amp; &#60;i&#62;',
  '\uD800 lone',
  'x'.repeat(10_000),
];

let sequence = 0;
function message(over: Partial<Message> = {}): Message {
  sequence += 1;
  const { uid, timestamp } = { uid: `d-${sequence}`, timestamp: alert.timestamp + sequence };
  return { uid, sequence, type: 'alert.detector.raised', timestamp, data: alert, ...over };
}

/** The same text wherever a tenant or a chain has a say. */
function poisoned(text: string): Message {
  return message({
    data: {
      ...alert,
      name: text,
      message: text,
      txHash: text,
      tags: [text],
      meta: { [text]: text, nested: { a: [text] } },
      contract: { ...alert.contract, name: text, address: text },
      project: { id: 1, name: text },
      walletName: text,
      links: { explorer: text, alert: `javascript:${text}` },
    },
  });
}

const tags = (markup: string) => Array.from(markup.matchAll(/<[^>]*>?/g), ([tag]) => tag);

/** What is left for the reader once the markup is read. */
function visible(markup: string): string {
  const named: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return markup.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|#39|amp);/g, (entity) => named[entity]!);
}

describe('what a message says', () => {
  it('shows the finding, place, severity, time and origin, with links', () => {
    const text = toPlainText(toStory(message()));
    for (const part of [
      '[CRITICAL] Large transfer · Vault on ethereum',
      '1,000,000 USDC left the vault.',
      '0x2222',
      'Acme',
      '2026-11-15 05:29:03 UTC',
      '0x1111',
      'https://etherscan.io/tx/0xabc',
      'https://console.example.com/alert/1',
      alert.uid,
    ])
      expect(text).toContain(part);
  });

  it('names a way that exists to switch a destination on again', () => {
    const lead = (destinationType: string, advice?: string) =>
      toStory(message({ type: 'destination.disabled', data: { destinationId: 7, destinationType, advice } }))
        .lead;
    expect(lead('HTTP')).toContain('POST /destination/7/test');
    expect(lead('HTTP')).not.toContain('bind');
    expect(lead('MESSENGER_A', 'Or bind a chat again.')).toContain('bind a chat again');
  });

  it('has a title and a text for every type of event, also without data', () => {
    for (const type of eventTypes) {
      for (const data of [alert, {}]) {
        const story = toStory(message({ type, data }));
        expect(story.title.trim(), type).not.toBe('');
        expect(`${story.title}${story.lead}`, type).not.toMatch(/undefined|NaN|null|\[object/);
      }
    }
    expect(toStory(message({ type: 'alert.retracted' })).title).toBe(
      'Retracted: Large transfer · Vault on ethereum',
    );
    expect(toStory(message({ type: 'action.failed', data: { ...alert, error: 'reverted' } })).lead).toContain(
      'reverted',
    );
    const score = { project: { name: 'Acme' }, score: 70, scoreChange: -5 };
    expect(toStory(message({ type: 'score.changed', data: score })).title).toBe(
      'Score of Acme changed by -5 to 70',
    );
    const ending = {
      tenant: { name: 'Acme' },
      daysLeft: 7,
      state: 'EXPIRING',
      watchingUntil: alert.timestamp,
    };
    expect(toStory(message({ type: 'subscription.expiring', data: ending })).title).toBe(
      'The subscription of Acme ends in 7 days',
    );
  });
});

describe('escaping', () => {
  it('lets no tag of tenants or chains into a mail', () => {
    for (const text of hostile) {
      const html = toHtml(toStory(poisoned(text)));
      for (const tag of tags(html))
        expect(tag).toMatch(/^<(\/?(html|head|body|div|title|h1|p|table|tr|td|span|a)|!doctype|meta|br)\b/i);
      expect(tags(html).join()).not.toMatch(/javascript:|evil|src=/i);
    }
  });

  it('is the mail that the same message without markup would be', () => {
    const plain = tags(toHtml(toStory(poisoned('plain'))));
    for (const text of hostile.filter((item) => !item.includes('\n')))
      expect(tags(toHtml(toStory(poisoned(text))))).toEqual(plain);
  });

  it('keeps the markup of the first messenger balanced and within its length, whatever the message', () => {
    const seed = Date.now() % 2 ** 31;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 5000 })), {
          minLength: 1,
          maxLength: 30,
        }),
        (texts) => {
          const markup = toMessengerAText(digestStory(texts.map(poisoned)));
          const open: string[] = [];
          for (const tag of tags(markup)) {
            expect(tag).toMatch(/^<(\/?(b|code|a)|a href="https?:[^"<>]*")>$/);
            if (!tag.startsWith('</')) open.push(tag.slice(1).split(/[ >]/)[0]!);
            else expect(open.pop()).toBe(tag.slice(2, -1));
          }
          expect(open).toEqual([]);
          expect(visible(markup).length).toBeLessThanOrEqual(4096);
          expect(visible(markup).length).toBeGreaterThan(0);
        },
      ),
      { seed, numRuns: 40 },
    );
  });

  it('creates no links or mentions in the second messenger', () => {
    for (const text of hostile) {
      const body = toMessengerBBlocks(digestStory([poisoned(text), poisoned(text)]));
      const strings: { type: string; text: string }[] = [];
      JSON.stringify(body, (_key, value) => {
        if (value?.type === 'plain_text' || value?.type === 'mrkdwn') strings.push(value);
        return value;
      });
      expect(strings.filter(({ type }) => type === 'mrkdwn')).toEqual([]);
      expect(body.text).not.toMatch(/[<>]/);
      for (const { text: told } of strings) expect(told.length).toBeLessThanOrEqual(3000);
    }
  });

  it('shows only links to pages of the web, in the markup of each medium', () => {
    const links = { alert: 'https://console.example.com/a|b>c?d="e"&f=1', explorer: 'ftp://evil.example/' };
    const story = toStory(message({ data: { ...alert, links } }));
    expect(story.links).toEqual([
      { label: 'Open the alert', url: 'https://console.example.com/a%7Cb%3Ec?d=%22e%22&f=1' },
    ]);
    expect(JSON.stringify(toMessengerBBlocks(story))).toContain('&amp;f=1|Open the alert>');
  });

  it('leaves no character in a subject that could end it or turn it around', () => {
    for (const text of hostile) {
      const { title } = toStory(poisoned(text));
      expect(title).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      expect(title.length).toBeLessThanOrEqual(500);
    }
  });
});

describe('a digest', () => {
  const many = [
    ...Array.from({ length: 30 }, (_, i) =>
      message({
        data: {
          ...alert,
          severity: 'LOW',
          name: `small ${i}`,
          contract: { ...alert.contract, name: 'Pool' },
        },
      }),
    ),
    message({ data: { ...alert, severity: 'HIGH', name: 'bad' } }),
    message({ data: { ...alert, severity: 'CRITICAL', name: 'worst' } }),
  ];

  it('counts by severity and contract and shows the worst first', () => {
    const story = digestStory(many);
    expect(story.title).toBe('32 alerts: 1 CRITICAL, 1 HIGH, 30 LOW');
    expect(story.facts).toEqual([
      { name: 'Pool', value: '30' },
      { name: 'Vault', value: '2' },
    ]);
    expect(story.items.slice(0, 2).map(({ title }) => title)).toEqual([
      '[CRITICAL] worst · Vault on ethereum',
      '[HIGH] bad · Vault on ethereum',
    ]);
    expect(story.items.length + story.more).toBe(32);
    expect(toPlainText(story)).toContain(`… and ${story.more} more.`);
    expect(toMessengerAText(story)).toContain(`… and ${story.more} more`);
  });

  it('a digest of one message is that message', () => {
    const one = message();
    expect(digestStory([one])).toEqual(toStory(one));
  });
});
