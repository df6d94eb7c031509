import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import type { Finding } from '../../src/model/alert.ts';
import type { Store } from '../../src/store/db/db.ts';
import type { Random } from '../../testing/createRandom.ts';

type Place = { tenantId: number; projectId: number; contractId: number };

const words = [
  'transfer',
  'owner',
  'paused',
  'vault.eth',
  "O'Reilly",
  're-entrancy',
  '1,000.50',
  'Straße',
  '中文',
  'foo_bar',
  'a:b',
  'x',
  'USDC',
  'İstanbul',
  '0x6b4f00aa11',
  'block12345',
  '2026',
  'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB263YaB1pPB',
];
const tokens = ['USDC', 'WETH', 'dai', '', 'USD*', 'multi word'];

const anyValues = [
  1,
  500,
  -3.5,
  'USDC',
  '500',
  'multi word',
  true,
  false,
  null,
  [],
  [1, 500],
  ['dai', 7, true],
];

/** Amounts as detectors store them, and what stands in their place elsewhere. */
const amounts = [
  '12.5',
  '500',
  '500.0',
  '-3.5',
  '-500',
  '1000000',
  '250000',
  '8092.58',
  '1000000000000000000000',
  7,
  Number.MAX_SAFE_INTEGER,
  'none',
  '500 USDC',
  '1e3',
  ['12.50', '500', true],
];

/** A finding like those of every kind, with odd words in its texts. */
export function randomFinding(random: Random, place: Place, n: number, from: number, to: number): Finding {
  const { pick, chance, integer } = random;
  const kind = pick(['detector', 'trigger', 'action'] as const);
  const text = (count: number) =>
    Array.from({ length: count }, () => pick(words)).join(pick([' ', ', ', ' - ', '! ']));
  return {
    ...place,
    kind,
    group: kind === 'detector' ? pick(['SECURITY', 'COMPLIANCE'] as const) : kind,
    severity: pick(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const),
    timestamp: integer(from, to),
    key: `finding ${n}`,
    eid: `e:${n % 50}`,
    name: text(integer(1, 2)),
    message: text(integer(1, 6)),
    meta: {
      ...(chance(0.7) ? { token: pick(tokens) } : {}),
      ...(chance(0.6) ? { amount: pick([0, 1, -3.5, 12.5, 500, 1e6]) } : {}),
      ...(chance(0.5) ? { any: pick(anyValues) } : {}),
      ...(chance(0.6) ? { value: pick(amounts) } : {}),
      ...(chance(0.3) ? { paused: chance(0.5) } : {}),
      ...(chance(0.3) ? { nested: { note: text(2), list: [pick(words), integer(0, 5)] } } : {}),
    },
    tags: Array.from({ length: integer(0, 2) }, () => pick(['defi', 'attack', 'C++', 'a/b'])),
    txHash: chance(0.7) ? `0x${pick(['AbC', 'def', '00'])}${n % 7}` : null,
    ...(kind === 'detector' ? { detectorId: 1 + (n % 3) } : {}),
    ...(kind === 'trigger'
      ? {
          triggerId: 1 + (n % 3),
          triggerType: pick(['FUNCTION_CALL', 'FAILED_TX']),
          interceptorType: 'TRANSACTION',
        }
      : {}),
    ...(kind === 'action'
      ? {
          actionId: 1 + (n % 2),
          walletId: 7,
          walletName: pick(['Guardian One', 'Hot-Wallet']),
          walletChainUid: 'anvil',
          walletAddress: '0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266',
        }
      : {}),
  };
}

export async function raiseAll(store: Store, findings: readonly Finding[]): Promise<void> {
  await prepareRaise(store, findings);
  for (let at = 0; at < findings.length; at += 500) {
    await store.transaction((tx) => raiseAlerts(tx, findings.slice(at, at + 500)));
  }
}

const fields = [
  '',
  '',
  'message:',
  'name:',
  'name.keyword:',
  'severity:',
  'txHash:',
  'tags:',
  'meta.token:',
  'meta.token.keyword:',
  'meta.amount:',
  'meta.paused:',
  'meta.nested.note:',
  'meta.nested.list:',
  'meta.*:',
  'numericSeverity:',
  'contractId:',
  'eid:',
  'walletName:',
  'walletAddress:',
  'kind:',
  'timestamp:',
  'triggerType:',
  'nosuch:',
  '_exists_:',
  // Ranges that end in a member of any type go wrong most easily.
  'meta.amount:',
  'meta.any:',
  'meta.any:',
  'meta.any.keyword:',
  'meta.value:',
  'meta.value:',
  'meta.value.keyword:',
];
const values = [
  'transfer',
  'owner',
  'pau*',
  '*er',
  't?ansfer',
  '"owner transfer"',
  '"transfer owner"~2',
  '/tra.*/',
  '/[a-z]+/',
  '/~(owner)/',
  'HIGH',
  'CRITICAL',
  '0xabc1',
  '0xABC1',
  '0xABC*',
  '0xf39?d*',
  'USDC',
  'usdc',
  '"multi word"',
  '12.5',
  '[1 TO 500]',
  '{0 TO *]',
  '[a TO m]',
  '>=50',
  '<0',
  '>100',
  '<=1',
  '[* TO 12.5}',
  '[500 TO *}',
  '>usdb',
  '<m',
  '[* TO true]',
  '{false TO *]',
  'true',
  'false',
  '*',
  'e\\:3',
  'meta.token',
  'meta',
  'vault.eth',
  "o'reilly",
  '1,000.50',
  'straße',
  '中',
  'foo_bar',
  'C\\+\\+',
  'now-30d',
  '[now-90d TO now]',
  'x',
  'guardian',
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  'foo~',
  '[now/d TO *]',
  '50',
  '1',
  '500',
  '500.00',
  '"-500"',
  '>300000',
  '>=1000000',
  '<-3.4',
  '[8092.57 TO 1000000]',
  '1000000000000000000001',
  '>999999999999999999999.9',
];

const patternFields = [
  '',
  'message:',
  'name:',
  'name.keyword:',
  'message.keyword:',
  'meta.\\*:',
  'meta.token:',
  'meta.token.keyword:',
  'meta.nested.note:',
  'tags:',
  'eid:',
  'txHash:',
  'walletName:',
  'walletAddress:',
];

/** A wildcard, regular expression or range made of pieces of what random alerts have. */
export function randomPattern(random: Random): string {
  const { pick, integer, chance } = random;
  const piece = (): string => {
    const text = pick([
      ...words,
      ...tokens,
      'defi',
      'attack',
      'guardian',
      '0xabc1',
      'e:12',
      'zzz',
    ]).toLowerCase();
    const start = integer(0, Math.max(0, text.length - 1));
    return text.slice(start, start + integer(1, 5)).replace(/[^\p{L}\p{N}]/gu, '?') || 'a';
  };
  const plain = () => piece().replaceAll('?', '.');
  const pattern = pick([
    () => `${piece()}*`,
    () => `*${piece()}`,
    () => `*${piece()}*${chance(0.3) ? piece() : ''}`,
    () => `?${piece()}*`,
    () => `/${plain()}.*/`,
    () => `/.*${plain()}/`,
    () => `/(${plain()}|${plain()})[a-z0-9]*/`,
    () => `/~(${plain()}.*)/`,
    () => `[${plain().replaceAll('.', '')}a TO ${plain().replaceAll('.', '')}z]`,
    () => `{${plain().replaceAll('.', '')}a TO *}`,
    () => `[* TO ${plain().replaceAll('.', '')}z}`,
  ]);
  return `${chance(0.15) ? 'NOT ' : ''}${pick(patternFields)}${pattern()}`;
}

/** A query that can be read, over the fields and words of random alerts. */
export function randomQuery(random: Random, depth = 0): string {
  const { pick, chance, integer } = random;
  const clause = (): string => {
    if (depth < 2 && chance(0.2))
      return `${pick(['', '', 'message:', 'meta.token:'])}(${randomQuery(random, depth + 1)})`;
    return `${pick(fields)}${pick(values)}`;
  };
  const parts = [`${pick(['', '', '', 'NOT ', '+', '-'])}${clause()}`];
  for (let n = integer(0, 2); n > 0; n--)
    parts.push(`${pick([' AND ', ' OR ', ' ', ' AND NOT '])}${clause()}`);
  return parts.join('');
}
