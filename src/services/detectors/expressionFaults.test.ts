import { describe, expect, it } from 'vitest';
import { chains } from '../../chains/chains.ts';
import { expressionFaults } from './expressionFaults.ts';

const signature = 'Deposit(address indexed user, uint256 amount)';
const messages = (
  kind: string,
  config: Record<string, unknown>,
  uid: 'ethereum' | 'tron' | 'solana' = 'ethereum',
) => expressionFaults(kind, config, [], chains[uid]).map(({ pointer, message }) => `${pointer} ${message}`);

describe('the expression of a custom kind', () => {
  it('may name what its event, call, transaction or result has', () => {
    expect(
      messages('custom_event', { signature, expression: 'e.args.amount > 1n && e.logIndex > 0' }),
    ).toEqual([]);
    expect(
      messages('custom_function', { signature: 'pause()', expression: "e.status === 'failed'" }),
    ).toEqual([]);
    expect(messages('custom_tx', { expression: 'e.value > 10n ** 18n && e.getNonce() > 1' })).toEqual([]);
    expect(messages('contract_call', { script: 'e.value > e.previous * 2n' })).toEqual([]);
    expect(
      messages('custom_event', { signature: 'Deposit(address,uint256)', expression: 'e.args[1] > 1n' }),
    ).toEqual([]);
  });

  it.each([
    [
      'custom_event',
      { signature, expression: 'e.args.amout > 1n' },
      /^\/config\/expression .*did you mean e\.args\.amount\?/,
    ],
    ['custom_tx', { expression: 'e.form === e.to' }, /did you mean e\.from\?/],
    ['contract_call', { script: 'e.valeu > 1n' }, /^\/config\/script .*did you mean e\.value\?/],
    ['custom_function', { signature: 'pause()', expression: 'e.logIndex > 1' }, /e has no member logIndex/],
  ])('is refused where it names something else: %s', (kind, config, message) => {
    expect(messages(kind, config)).toEqual([expect.stringMatching(message)]);
  });

  it('names parameters freely where the family has names of its own for them', () => {
    expect(
      messages('custom_event', { signature: 'Deposit', expression: 'e.args.accounts.user' }, 'solana'),
    ).toEqual([]);
  });

  it('the expression of a custom kind of an invariant names its terms', () => {
    const terms = [{ name: 'assets' }, { name: 'shares' }];
    expect(messages('invariant', { terms, expression: 'shares * 2n <= assets' })).toEqual([]);
    expect(messages('invariant', { terms, expression: 'share <= assets' })).toEqual([
      '/config/expression share is not defined; the script sees assets, shares.',
    ]);
  });

  it('is refused where an address in it cannot be one', () => {
    const right = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const wrong = right.replace('dAC', 'DAC');
    expect(messages('custom_tx', { expression: `e.to === "${right}"` })).toEqual([]);
    expect(messages('custom_tx', { expression: `e.to === "${wrong}"` })).toEqual([
      expect.stringContaining('checksum'),
    ]);
    const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    expect(messages('custom_tx', { expression: `e.to === "${tron}"` }, 'tron')).toEqual([]);
    expect(messages('custom_tx', { expression: `e.to === "${tron.slice(0, -1)}u"` }, 'tron')).toEqual([
      expect.stringContaining('checksum'),
    ]);
  });
});
