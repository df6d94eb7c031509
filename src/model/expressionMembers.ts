import type { Family } from './family.ts';

const ofTransaction = ['from', 'to', 'value', 'txHash', 'blockNumber', 'timestamp'];
const ofItem = ['args', 'name', 'signature', 'address', ...ofTransaction];
const ofOutcome = ['status', 'gasUsed', 'gasPrice'];
const ofSender = [
  'input',
  'selector',
  'nonce',
  'priorityFee',
  'gasLimit',
  'maxFeePerGas',
  'transactionIndex',
  'programs',
  ...ofOutcome,
];

/** Members that only transactions of the family have. */
export const familyMembers: Partial<Record<Family, readonly string[]>> = {
  solana: ['logs', 'accounts', 'instructions'],
  stellar: ['operations'],
};

/** Members of `e` in the expression of each custom kind; `args` has the parameters of the signature. */
export const expressionMembers: Readonly<Record<string, readonly string[]>> = {
  custom_event: [...ofItem, 'logIndex', ...ofSender],
  custom_function: [...ofItem, ...ofSender],
  custom_tx: [...ofTransaction, ...ofSender],
  contract_call: ['value', 'values', 'previous', 'address', 'blockNumber', 'timestamp'],
};
