/** In words that name no node: every tenant may read them. */
export const traceFaults = {
  off: 'Traces are switched off, so that what contracts do within transactions is not seen.',
  unsupported:
    'No node of the chain traces calls, so that what contracts do within transactions is not seen.',
  unanswered: 'Nodes did not give the traces of blocks.',
  wrong: 'Nodes gave traces that do not fit their blocks.',
  'too large': 'The traces of a block are too large.',
  transaction: 'The trace of a transaction is too large, or no node gives it.',
  late: 'Traces come more slowly than blocks.',
};
