import { expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { toChainFacts } from '../../src/chains/toChainFacts.ts';
import { EvmLog } from '../../src/codecs/evm/evmLog.ts';
import { transferTopic } from '../../src/codecs/evm/transferTopic.ts';
import { destinationKinds, isGrouped, typesWith } from '../../src/destinations/destinationKinds.ts';
import { toHtml } from '../../src/destinations/texts/toHtml.ts';
import { toMessengerAText } from '../../src/destinations/texts/toMessengerAText.ts';
import { toMessengerBBlocks } from '../../src/destinations/texts/toMessengerBBlocks.ts';
import { toPlainText } from '../../src/destinations/texts/toPlainText.ts';
import { toStory } from '../../src/destinations/texts/toStory.ts';
import { webhookBody } from '../../src/destinations/toWebhookRequest.ts';
import { compileDetector } from '../../src/matching/compileDetector.ts';
import type { ReadRequest } from '../../src/matching/createReadCache.ts';
import { evaluateMatches } from '../../src/matching/evaluateMatches.ts';
import type { Block, Transaction } from '../../src/model/block.ts';
import type { Message } from '../../src/model/notification.ts';
import { sampleDestinations } from '../support/sampleDestinations.ts';
import { targetOf } from './support/messages.ts';

const [token, from, to] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0');

/** What `symbol()` answers. */
function encoded(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('hex');
  return `0x${word(32n)}${word(BigInt(bytes.length / 2))}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')}`;
}

/** The alert that the transfer of a token with this symbol raises, as it is notified. */
async function notified(symbol: string, desc?: string): Promise<Message> {
  const transactionHash = `0x${'5'.repeat(64)}`;
  const log = new EvmLog({
    address: token,
    topics: [transferTopic, `0x${word(from)}`, `0x${word(to)}`],
    data: `0x${word(5n * 10n ** 18n)}`,
    index: 0,
    transactionHash,
    transactionIndex: 0,
  });
  const transaction = {
    hash: transactionHash,
    index: 0,
    from,
    to: token,
    value: 0n,
    logs: [log],
  } as unknown as Transaction;
  const block = {
    number: 7,
    hash: '0x7',
    parentHash: '0x6',
    timestamp: 1_000,
    transactions: [transaction],
    logs: [log],
  } as unknown as Block;
  const contract = {
    id: 1,
    tenantId: 1,
    projectId: 1,
    chainUid: 'ethereum',
    address: token,
    implementation: null,
    name: 'Vault',
    addressType: 'CONTRACT',
    abi: [],
  } as const;
  const config = { threshold: '1', ...(desc === undefined ? {} : { desc }) };
  const row = { id: 1, name: 'Large', schemaName: 'large_transfer', tags: [], config };
  const subscriber = compileDetector(row, contract, toChainFacts(chains.ethereum));
  if ('fault' in subscriber) throw new Error(subscriber.fault);
  const answer = (request: ReadRequest): unknown => {
    if (request.type === 'labels')
      return [{ tenantId: null, address: to, name: symbol, tags: ['X'], score: 1, source: null }];
    if (request.type !== 'chain' || request.question.type !== 'call') return null;
    const isSymbol = request.question.data === '0x95d89b41';
    return { value: { data: isSymbol ? encoded(symbol) : `0x${word(18n)}` } };
  };
  const { findings, faults } = await evaluateMatches(
    new Map([[subscriber, [{ type: 'log', block, transaction, log }]]]),
    () => undefined,
    async (requests) => requests.map(answer),
  );
  expect(faults).toEqual([]);
  const { message, severity, name, meta, nextStep, timestamp } = findings[0]!;
  return {
    uid: 'u',
    sequence: 1,
    type: 'alert.detector.raised',
    timestamp,
    data: { message, severity, name, meta, nextStep },
  };
}

/** The texts of what each kind for people posts, for all of them. */
const posted = Object.fromEntries(
  typesWith((kind) => kind.transport === 'request' && isGrouped(kind)).map((type) => [
    `the request of ${type}`,
    (message: Message) => {
      const kind = destinationKinds[type];
      const sample = sampleDestinations.find((body) => body.type === type)!;
      const target = targetOf({ type, value: 'https://example.com/', settings: sample.settings ?? {} });
      const made = kind.transport === 'request' && kind.request(target, [message], { now: 0 });
      return textsIn(JSON.parse(made ? made.body : '""')).join('\n');
    },
  ]),
);

/** Every text of a message, without the names of its members and the addresses that its format has. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string')
    return value.startsWith('http://adaptivecards.io/') ? [] : [unescaped(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A mark behind a backslash has no effect; it is left out, as the platform does not act on it. */
const unescaped = (text: string) =>
  text.replace(/\\([*_~`|>#()[\]<@-])/g, (_all, mark) => (/[*`~]/.test(mark) ? '' : mark));

const channels: Readonly<Record<string, (message: Message) => string>> = {
  ...posted,
  'the first messenger': (message) => toMessengerAText(toStory(message)),
  'the second messenger': (message) => JSON.stringify(toMessengerBBlocks(toStory(message))),
  'the HTML of a mail': (message) => toHtml(toStory(message)),
  'the text of a mail': (message) => toPlainText(toStory(message)),
  // The label of a tenant is evidence, which receivers get as it is.
  'a webhook': ({ data, ...message }) =>
    webhookBody({ ...message, data: { ...data, meta: { ...Object(data.meta), labels: [] } } }),
};

const hostile = [
  'Claim at https://evil.example.com/x',
  'evil-airdrop.com',
  't.me/evil',
  '@channel @everyone @here',
  '<!channel> <@U123> <!here>',
  '<https://evil.com|USDC>',
  '[USDC](https://evil.com)',
  '<a href="https://evil.com">USDC</a><img src=x onerror=alert(1)>',
  '**bold** `code` ~~gone~~ {message}',
  '\u202ECDSU\u2066\u200b\u200f',
  'a\r\nBcc: evil@evil.com\0\u0007',
  '/stop',
  'ＵＳＤＣ．ｃｏｍ ＠here',
  'x'.repeat(5_000),
];

it.each(Object.keys(channels))(
  'neither links nor mentions anyone in %s, whatever a token is called',
  async (channel) => {
    for (const symbol of hostile)
      for (const desc of [undefined, 'Look: {symbol}']) {
        const shown = channels[channel]!(await notified(symbol, desc));
        const text = shown.replace(/<!doctype html>|<\/?[a-z][^<>]*>/g, '');
        expect(text).not.toMatch(/https?:|@|evil\.|evil-airdrop\.com|t\.me|<!|<a |onerror=alert\(1\)>/);
        expect(text).not.toMatch(/\p{Cf}/u);
        expect([...text].filter((mark) => mark === '\0' || mark === '\u0007')).toEqual([]);
        expect(text).not.toMatch(/\*\*|~~|`code|\{message\}|(^|\s)\/stop/);
        expect(text.length).toBeLessThan(6_000);
      }
  },
);

it('says what to do next, and keeps the tenant’s own links', async () => {
  const message = await notified('TKN', 'Runbook: https://wiki.example.com/drain ({amount} {symbol})');
  for (const render of Object.values(channels)) {
    const text = render(message);
    expect(text).toContain('https://wiki.example.com/drain (5 TKN)');
    expect(text).toContain('Check that someone expected the transfer');
  }
});
