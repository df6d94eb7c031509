import { expect, it } from 'vitest';
import { chains } from '../chains/chains.ts';
import { toChainFacts } from '../chains/toChainFacts.ts';

import type { ContractFacts } from '../model/detection.ts';
import { compileDetector } from './compileDetector.ts';
import { compileTrigger } from './compileTrigger.ts';
import type { Subscriber } from './subscriber.ts';

const contract: ContractFacts = {
  id: 7,
  tenantId: 1,
  projectId: 2,
  chainUid: 'anvil',
  address: `0x${'11'.repeat(20)}`,
  implementation: null,
  name: 'Vault',
  addressType: 'CONTRACT',
  abi: [],
};
const chain = toChainFacts(chains.anvil);
const found = {
  message: 'Own words.',
  fields: { newOwner: '0xab', name: 'of the finding', args: { a: 5n } },
};

function messagesOf(subscriber: Subscriber | { fault: string }): string[] {
  if ('fault' in subscriber) throw new Error(subscriber.fault);
  const observation = { type: 'clock', at: 1000, newest: undefined } as const;
  return subscriber.toFindings(found, observation).map(({ message }) => message);
}

function detectorMessage(config: object): string {
  const row = { id: 3, name: 'Owner watch', schemaName: 'ownership_change', tags: ['a', 'b'], config };
  return messagesOf(compileDetector(row, contract, chain))[0]!;
}

it('says the detector’s own words, or its template filled from the finding and then from the alert', () => {
  expect(detectorMessage({})).toBe('Own words.');
  expect(
    detectorMessage({ desc: '{severity} on {chainUid} ({tags}): {newOwner}, {args.a}, {name}, {nobody}' }),
  ).toBe('CRITICAL on anvil (a, b): 0xab, 5, of the finding, {nobody}');
});

it('says the same of each alert of a trigger', () => {
  const alerts = [
    { id: 1, severity: 'LOW', name: 'First', message: '{severity} {newOwner} {timestamp}' },
    { id: 2, severity: 'HIGH', name: 'Second', message: '{severity} {contractId}' },
    { id: 3, severity: 'HIGH', name: 'Third', message: null },
  ] as const;
  const row = { id: 3, name: 'T', triggerType: 'FUNCTION_CALL', tags: [], params: {}, alerts };
  expect(messagesOf(compileTrigger(row, contract, chain))).toEqual(['LOW 0xab 1000', 'HIGH 7', 'Own words.']);
});
