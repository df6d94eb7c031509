const ofTransaction = ['from', 'to', 'value', 'txHash', 'blockNumber', 'timestamp'];
const ofItem = ['args', 'name', 'signature', 'address', ...ofTransaction];
const ofOutcome = ['status', 'gasUsed', 'gasPrice'];

/** What the expression of each custom kind sees as `e`; of `args` the parameters of the signature. */
export const expressionMembers: Readonly<Record<string, readonly string[]>> = {
  custom_event: [...ofItem, 'logIndex'],
  custom_function: [...ofItem, ...ofOutcome],
  custom_tx: [...ofTransaction, 'input', 'selector', 'nonce', 'priorityFee', 'programs', ...ofOutcome],
  contract_call: ['value', 'values', 'previous', 'address', 'blockNumber', 'timestamp'],
};
