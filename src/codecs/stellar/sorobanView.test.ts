import { expect, it } from 'vitest';
import { vaultSpec } from '../../../testing/stellar/vaultSpec.ts';
import { assetSpec } from './assetSpec.ts';
import { sorobanView } from './sorobanView.ts';

const contract = 'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA';

it('passes typed values, and names what does not fit', () => {
  const quota = sorobanView('quota(user)', vaultSpec);
  expect(JSON.parse(quota.encode([contract]))).toEqual({ name: 'quota', args: [{ address: contract }] });
  expect(quota.decode('{"i128":"-7"}')).toEqual([-7n]);
  expect(() => quota.encode(['0x12'])).toThrow('user must be the address');
  expect(() => quota.encode(['wallet'])).toThrow('no wallet signs');
  expect(() => sorobanView('drain', vaultSpec)).toThrow('it has pause, set_quota, quota, is_paused, mode');
  expect(() => sorobanView('anything', [])).toThrow('needs the Soroban spec');
});

it('gives results in the words of conditions: members by name, cases as texts', () => {
  const { outputs, decode } = sorobanView('mode', vaultSpec);
  expect(outputs).toMatchObject([
    {
      type: 'tuple',
      components: [
        { name: 'kind', type: 'string' },
        { name: 'until', type: 'uint64' },
      ],
    },
  ]);
  const value = {
    map: [
      { key: { symbol: 'kind' }, val: { vec: [{ symbol: 'Closed' }] } },
      { key: { symbol: 'until' }, val: { u64: '5' } },
    ],
  };
  expect(decode(JSON.stringify(value))).toEqual([{ kind: 'Closed', until: 5n }]);
  expect(sorobanView('pause', vaultSpec).outputs).toEqual([]);
  const types = (name: string) => sorobanView(name, assetSpec).outputs.map(({ type }) => type);
  expect(['balance', 'decimals', 'admin', 'transfer'].map(types)).toEqual([
    ['int128'],
    ['uint32'],
    ['string'],
    [],
  ]);
});
