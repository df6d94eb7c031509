import { afterAll, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { toChainFacts } from '../../src/chains/toChainFacts.ts';
import { decodeBlock } from '../../src/chains/tron/decodeBlock.ts';
import { showAddress } from '../../src/chains/tron/tronAddress.ts';
import { compileDetector } from '../../src/matching/compileDetector.ts';
import { compileTrigger } from '../../src/matching/compileTrigger.ts';
import { createSubscriptionIndex } from '../../src/matching/createSubscriptionIndex.ts';
import { evaluateMatches } from '../../src/matching/evaluateMatches.ts';
import type { Subscriber } from '../../src/matching/subscriber.ts';
import { createSandbox } from '../../src/scripts/sandbox.ts';
import recorded from '../../testing/recorded/javaTron.json' with { type: 'json' };
import type { Json } from '../../testing/startTestApi.ts';

const me = '0x928c9af0651632157ef27a2cf17ca72c575a4d21';
const bob = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const contract = {
  id: 1,
  tenantId: 1,
  projectId: 1,
  chainUid: 'tron',
  address: me,
  implementation: null,
  name: 'Treasury',
  addressType: 'WALLET',
  abi: [],
} as const;

const sandbox = createSandbox();
afterAll(() => sandbox.close());

async function evaluate(block: number, schemaName: string, config: Json, answers: Json = {}) {
  const row = { id: 1, name: 'Watched', schemaName, tags: [], config };
  const subscriber = compileDetector(row, contract, toChainFacts(chains.tron));
  if ('fault' in subscriber) throw new Error(subscriber.fault);
  return (await observe(block, subscriber, answers)).map(({ message }) => message);
}

async function observe(block: number, subscriber: Subscriber, answers: Json) {
  const index = createSubscriptionIndex();
  index.add(subscriber);
  const { block: raw, infos } = (recorded as Json)[block];
  const { findings, faults } = await evaluateMatches(
    index.match(decodeBlock('tron', raw, infos, 0), undefined),
    () => undefined,
    async (requests) =>
      Promise.all(
        requests.map(async (request) => {
          if (request.type === 'chain') return { value: answers[request.question.type] };
          if (request.type !== 'script') return [];
          return (await sandbox.run(1, request.values, [request.source]))[0];
        }),
      ),
  );
  expect(faults).toEqual([]);
  return findings;
}

it.each([
  ['ownership_change', { checkOwner: false }, [`The owner of Treasury changed to ${showAddress(me)}`]],
  [
    'access_control_change',
    {},
    [
      `The permission witness of Treasury is now ${showAddress(me)}`,
      `The permission active0 of Treasury is now 2 of ${showAddress(me)} (1), ${showAddress(bob)} (1)`,
    ],
  ],
  ['access_control_change', { accounts: [me] }, ['The permission active0']],
  ['ownership_change', { checkOwner: false, allowedOwners: [showAddress(me)] }, []],
])('%s reports who may act for an account of Tron', async (schemaName, config, messages) => {
  expect(await evaluate(34, schemaName, config)).toEqual(
    messages.map((text) => expect.stringContaining(text)),
  );
});

it.each([
  ['large_transfer', { token: '1000001', threshold: '0.07' }],
  // Any token that leaves.
  ['large_transfer', { threshold: '0.07' }],
  ['outflow_rate', { token: '1000001', limit: '0.05' }],
])('%s sees TRC-10 tokens by their id: %j', async (schemaName, config) => {
  const answers = { decimals: 2, symbol: 'TEN', holding: 93n };
  expect(await evaluate(20, schemaName, config, answers)).toEqual([expect.stringContaining('0.07 TEN')]);
  expect(await evaluate(20, schemaName, { ...config, token: '1000002' }, answers)).toEqual([]);
});

it.each([
  [{}, 1],
  [{ token: '1000001' }, 1],
  [{ token: '1000002' }, 0],
  [{ direction: 'out' }, 1],
  [{ direction: 'in' }, 0],
])('ERC20_TRANSFER with %j reports transfers of TRC-10 tokens', async (params, count) => {
  const alerts = [{ id: 1, severity: 'HIGH' as const, name: 'Moved', message: null }];
  const row = { id: 1, name: 'Watched', triggerType: 'ERC20_TRANSFER', tags: [], params, alerts };
  const subscriber = compileTrigger(row, contract, toChainFacts(chains.tron));
  if ('fault' in subscriber) throw new Error(subscriber.fault);
  const findings = await observe(20, subscriber, { decimals: 2, symbol: 'T10' });
  expect(findings).toHaveLength(count);
  for (const { meta, message } of findings) {
    expect(meta).toMatchObject({
      from: showAddress(me),
      to: showAddress(bob),
      token: '1000001',
      rawAmount: '7',
    });
    expect(message).toContain(`moved from ${showAddress(me)} to ${showAddress(bob)}`);
  }
});

it('custom_tx compares addresses as people know them and as contracts do', async () => {
  for (const form of [showAddress(me), me, `0x${me.slice(2).toUpperCase()}`])
    expect(await evaluate(34, 'custom_tx', { expression: `e.from === "${form}"` })).not.toEqual([]);
  expect(await evaluate(34, 'custom_tx', { expression: `e.from === "${showAddress(bob)}"` })).toEqual([]);
});
