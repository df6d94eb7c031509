import { expect, it } from 'vitest';
import { chains } from '../chains/chains.ts';
import { toChainFacts } from '../chains/toChainFacts.ts';
import type { ContractFacts, Detection, Observation, Reader } from '../model/detection.ts';
import { showMembers } from './showMembers.ts';

const token = `0x${'ab'.repeat(20)}`;
const thief = `0x${'cd'.repeat(20)}`;
const contract: ContractFacts = {
  id: 1,
  tenantId: 1,
  projectId: 1,
  chainUid: 'anvil',
  addressType: 'CONTRACT',
  implementation: null,
  address: `0x${'11'.repeat(20)}`,
  name: 'Vault',
  abi: [],
};
const word = (value: bigint | number) => value.toString(16).padStart(64, '0');
const symbol = `0x${word(32)}${word(4)}${Buffer.from('DUSD').toString('hex').padEnd(64, '0')}`;
let isSilent = false;

// Only what the formats read.
const read = {
  all: (questions: readonly (() => unknown)[]) => questions.map((ask) => ask()),
  optional: (ask: () => unknown) => (isSilent ? undefined : ask()),
  degradable: (ask: () => unknown) => ask(),
  call: (to: string, data: string) => ({
    data: to !== token ? '0x' : data === '0x313ce567' ? `0x${word(18)}` : symbol,
  }),
  labels: (address: string) =>
    address === thief
      ? [{ tenantId: 1, address, name: 'Known <b>exploiter', tags: ['EXPLOIT'], score: 90, source: null }]
      : [],
} as unknown as Reader;

const observation = { type: 'block', block: { timestamp: 1_794_700_800_000 } } as Observation;

function shown(template: string, fields: Detection['fields']): Readonly<Record<string, string>> {
  const { detections } = showMembers({ detections: [{ message: '', fields }] }, [template], observation, {
    contract,
    chain: toChainFacts(chains.anvil),
    read,
  });
  return detections?.[0]?.shown ?? {};
}

it('writes amounts, times and addresses as their formats say', () => {
  const fields = {
    args: { who: thief, token, amount: 52_000n * 10n ** 18n, at: '1794700800' },
    other: contract.address,
  };
  const template =
    '{args.who | label} took {args.amount | token} ({args.amount | usd}) at {args.at | time} {timestamp | time} of {other | label} {args.amount | token native}';
  expect(shown(template, fields)).toEqual({
    '{args.who | label}': `Known ‹b›exploiter (${thief})`,
    '{args.amount | token}': '52,000 DUSD',
    '{args.amount | usd}': '52,000 DUSD',
    '{args.at | time}': '2026-11-15 00:00:00 UTC',
    '{timestamp | time}': '2026-11-15 00:00:00 UTC',
    '{other | label}': 'Vault',
    '{args.amount | token native}': '52,000 ETH',
  });
});

it('leaves a value as it is that has no such form, or that no node tells', () => {
  const fields = { args: { token, amount: 'many', who: 'nobody' } };
  expect(shown('{args.amount | token} {args.who | label} {args.who | time}', fields)).toEqual({});
  isSilent = true;
  expect(shown('{args.amount | token}', { args: { token, amount: 5n } })).toEqual({});
  isSilent = false;
});
