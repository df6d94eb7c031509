import { describe, expect, it } from 'vitest';
import { expressionFaults } from './expressionFaults.ts';

const signature = 'Deposit(address indexed user, uint256 amount)';
const messages = (kind: string, config: Record<string, unknown>, family: 'evm' | 'solana' = 'evm') =>
  expressionFaults(kind, config, [], family).map(({ pointer, message }) => `${pointer} ${message}`);

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
});
