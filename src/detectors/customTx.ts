import type { Static } from 'typebox';
import { showPayment } from '../evidence/amounts.ts';
import {
  addressesMember,
  Expression,
  outcomeFields,
  outcomeOf,
  senderFields,
  senderMembers,
  statusMember,
  transactionFields,
  watchedAddresses,
} from '../evidence/customParameters.ts';
import { holdsFor } from '../evidence/holdsFor.ts';
import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  expression: Expression(
    'What must hold of the transaction `e`, such as e.value > 10n ** 18n. `e` has from, to, value, input, selector, nonce, priorityFee, gasLimit, maxFeePerGas, transactionIndex, txHash, blockNumber, timestamp, status (success or failed), gasUsed and gasPrice; on Solana programs, instructions, accounts and logs; on Stellar operations. lower(text) compares without case.',
  ),
  status: statusMember,
  addresses: addressesMember,
  innerCalls: InnerCalls(),
});

/** Members of an alert about the sending of the transaction. */
function sentFields(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(['selector', ...senderFields].map((name) => [name, sent[name]]));
}

export const customTx = defineDetector<Static<typeof config>, never>({
  name: 'custom_tx',
  title: 'Custom transaction',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  severity: 'MEDIUM',
  description:
    'A transaction touches the contract (sent to it or by it, one of its logs is of or names it, or a contract calls it within) and an expression about it holds.',
  faq: 'Does it see transactions that reach the contract only through inner calls? Where nodes of the chain trace calls; elsewhere only if the contract then emits an event, or is named in one.',
  nextStep: 'Open the transaction, and check whether its sender and what it does are expected.',
  config,
  pending: true,
  fields: [...transactionFields, 'selector', ...senderFields, 'programs', ...outcomeFields, 'expression'],
  interests: ({ addresses, innerCalls }, contract) =>
    watchedAddresses(addresses, contract).map((address) => ({ on: 'touch', address, inner: innerCalls })),
  evaluate(observation, { config: settings, contract, chain, read }) {
    if (observation.type !== 'transaction') return {};
    const { transaction, block } = observation;
    const { isWanted, values } = outcomeOf(read, settings, transaction.hash);
    if (!isWanted) return {};
    const e = {
      from: transaction.from,
      to: transaction.to,
      value: transaction.value,
      ...(transaction.calls && {
        programs: [...new Set(transaction.calls.map(({ contract: called }) => called))],
      }),
      txHash: transaction.hash,
      blockNumber: block.number,
      timestamp: block.timestamp,
      ...values,
    };
    const sent = senderMembers(transaction, settings.expression);
    if (!holdsFor(read, settings.expression, { e: { ...sent, ...e } })) return {};
    const none = transaction.parties ? 'moves nothing' : 'creates a contract';
    const target = transaction.to === null ? none : `goes to ${transaction.to}`;
    const message = `A transaction of ${transaction.from} that touches ${contract.name} ${target}${showPayment(transaction.value, chain)} and meets the expression.`;
    return {
      detections: [{ message, fields: { ...sentFields(sent), ...e, expression: settings.expression } }],
    };
  },
});
