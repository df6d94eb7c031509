import { describe, expect, it } from 'vitest';
import { type ContractKind, type ContractTraits, contractKinds } from '../model/contractKinds.ts';
import { withDefaults } from '../model/validate.ts';
import { configSchema } from './configSchema.ts';
import { detectors } from './detectors.ts';
import { recommendDetectors } from './recommendDetectors.ts';

const address = `0x${'a'.repeat(40)}`;
const everything: ContractTraits = {
  name: 'Vault',
  symbol: 'VLT',
  decimals: 6,
  totalSupply: '1000000000000',
  owner: address,
  paused: false,
  asset: address,
  tokens: [address, `0x${'b'.repeat(40)}`],
  owners: [address],
  threshold: 1,
  minDelay: 3600,
  description: 'ETH / USD',
  answerAge: 60,
};

function recommend(kinds: readonly ContractKind[], facts: ContractTraits, hasCode = true) {
  const proxyKind = kinds.includes('PROXY') ? ('EIP1967' as const) : null;
  return recommendDetectors({ hasCode, kinds, proxyKind, implementation: null, facts });
}

describe('recommended detectors', () => {
  it.each(contractKinds)(
    'recommended detectors of %s are its own and can run, however much the contract says',
    (kind) => {
      const plain = recommend([], {}).map(({ reason }) => reason);
      for (const facts of [everything, {}]) {
        const set = recommend([kind], facts);
        expect(set.filter(({ reason }) => !plain.includes(reason))).not.toEqual([]);
        for (const { schemaName, config, reason, title } of set) {
          const checked = withDefaults(configSchema(detectors.get(schemaName)!), config, schemaName);
          expect('faults' in checked ? checked.faults : []).toEqual([]);
          expect(reason).toMatch(/^[A-Z].*\.$/);
          expect(title).not.toBe('');
        }
      }
    },
  );

  it('name each detector once, and fill in what the contract says', () => {
    const all = recommend(contractKinds, everything);
    const names = all.map(({ schemaName }) => schemaName);
    expect(new Set(names).size).toBe(names.length);
    const configOf = (name: string) => all.find(({ schemaName }) => schemaName === name)?.config;
    expect(configOf('large_transfer')).toMatchObject({ threshold: '10000' });
    expect(configOf('governance')).toEqual({ minDelay: '3600 s' });
    expect(configOf('outflow_rate')).toMatchObject({ token: address });
    expect(names).toEqual(
      expect.arrayContaining(['drain', 'reentrancy', 'suspicious_deployment', 'price_manipulation']),
    );
  });

  it.each(contractKinds)('recommended detectors of %s watch what it holds', (kind) => {
    const names = recommend([kind], {}).map(({ schemaName }) => schemaName);
    expect(names).toEqual(expect.arrayContaining(['drain', 'tvl_drop', 'outflow_rate']));
  });

  it('recommended detectors of a vault or pool do not report its shares as those of a token', () => {
    for (const kind of ['ERC4626', 'POOL'] as const) {
      const names = recommend(['ERC20', kind], everything).map(({ schemaName }) => schemaName);
      expect(names).not.toContain('circulation_supply');
      expect(names).not.toContain('large_transfer');
    }
  });

  it('recommended detectors of an account watch what it pays and approves', () => {
    const set = recommend([], {}, false);
    expect(set.map(({ schemaName }) => schemaName)).toEqual([
      'drain',
      'tvl_drop',
      'outflow_rate',
      'wallet_balance',
      'unlimited_approval',
      'address_poisoning',
      'sanctioned_interaction',
    ]);
    for (const { schemaName, config } of set)
      expect(withDefaults(configSchema(detectors.get(schemaName)!), config)).toHaveProperty('value');
  });
});
