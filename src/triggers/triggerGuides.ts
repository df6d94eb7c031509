import type { TriggerType } from '../model/enumerations.ts';

/** Entry of a kind of trigger in the catalogue. Every example is valid for a contract without an ABI of its own. */
export type TriggerGuide = {
  readonly title: string;
  readonly examples: readonly {
    readonly description: string;
    readonly params: Readonly<Record<string, unknown>>;
  }[];
};

const token = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const caller = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

export const triggerGuides: Readonly<Record<TriggerType, TriggerGuide>> = {
  SUCCESSFUL_TX: {
    title: 'Successful transaction',
    examples: [{ description: 'Every transaction that succeeds.', params: {} }],
  },
  FAILED_TX: {
    title: 'Failed transaction',
    examples: [{ description: 'Every transaction that fails.', params: {} }],
  },
  FUNCTION_CALL: {
    title: 'Function called',
    examples: [
      { description: 'Calls of withdraw.', params: { signature: 'withdraw(uint256 amount)' } },
      {
        description: 'Attempts to take over the contract that failed.',
        params: { signature: 'transferOwnership(address newOwner)', status: 'failed' },
      },
    ],
  },
  FUNCTION_PARAMETER: {
    title: 'Function called with certain parameters',
    examples: [
      {
        description: 'Withdrawals of at least 100 tokens of 18 decimals.',
        params: {
          signature: 'withdraw(uint256 amount)',
          conditions: [{ name: 'amount', operator: '>=', value: '100000000000000000000' }],
        },
      },
    ],
  },
  EVENT_EMITTED: {
    title: 'Event emitted',
    examples: [{ description: 'The contract is paused.', params: { signature: 'Paused(address account)' } }],
  },
  EVENT_PARAMETER: {
    title: 'Event emitted with certain values',
    examples: [
      {
        description: 'Approvals of one spender.',
        params: {
          signature: 'Approval(address indexed owner, address indexed spender, uint256 value)',
          conditions: [{ name: 'spender', operator: '==', value: caller }],
        },
      },
    ],
  },
  ERC20_TRANSFER: {
    title: 'Token transfer',
    examples: [
      { description: 'Any token that leaves the address.', params: { direction: 'out' } },
      { description: 'At least 10,000 of one token.', params: { token, minAmount: '10000' } },
    ],
  },
  ERC721_TRANSFER: {
    title: 'Unique token transfer',
    examples: [{ description: 'Any unique token that leaves the address.', params: { direction: 'out' } }],
  },
  NATIVE_TRANSFER: {
    title: 'Native coin transfer',
    examples: [
      { description: 'At least 1 coin sent from the address.', params: { direction: 'out', minAmount: '1' } },
    ],
  },
  BALANCE_CHANGE: {
    title: 'Balance changed',
    examples: [
      { description: 'The native balance falls below 5.', params: { condition: '< 5' } },
      { description: 'A token balance changes by a tenth or more.', params: { token, condition: '>= 10%' } },
    ],
  },
  STATE_CHANGE: {
    title: 'Storage slot changed',
    examples: [
      {
        description: 'The implementation of an EIP-1967 proxy.',
        params: { slot: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc' },
      },
    ],
  },
  VIEW_FUNCTION: {
    title: 'Result of a reading function',
    examples: [
      { description: 'The contract reads as paused.', params: { signature: 'paused()(bool)', equals: true } },
      {
        description: 'The total supply moves by 5 % or more, looked at every hour.',
        params: { signature: 'totalSupply()(uint256)', condition: '>= 5%', when: 'cron', cron: '1 h' },
      },
    ],
  },
  WHITELISTED_CALLERS: {
    title: 'Caller is not on a list',
    examples: [{ description: 'Only one account may call.', params: { callers: [caller] } }],
  },
  BLACKLISTED_CALLERS: {
    title: 'Caller is on a list',
    examples: [{ description: 'One account must not call.', params: { callers: [caller] } }],
  },
  CONTRACT_CREATED: {
    title: 'Contract created',
    examples: [{ description: 'Every contract that the address creates.', params: {} }],
  },
};
