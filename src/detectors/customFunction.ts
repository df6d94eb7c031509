import { type Static, Type } from 'typebox';
import { canonicalSignature } from '../codecs/evm/abi.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { showPayment } from '../evidence/amounts.ts';
import { functionShape } from '../evidence/contractInterface.ts';
import {
  addressesMember,
  Expression,
  outcomeFields,
  outcomeOf,
  senderFields,
  senderMembers,
  shownMembers,
  signatureFaults,
  statusMember,
  transactionFields,
  watchedAddresses,
} from '../evidence/customParameters.ts';
import { showArguments } from '../evidence/evm/describeCall.ts';
import { holdsFor } from '../evidence/holdsFor.ts';
import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { observedCall, refuseCut } from '../model/frames.ts';

const config = Configuration(
  {
    signature: Type.String({
      format: evmFormat.functionOrName,
      description:
        'The function, such as transfer(address to, uint256 amount). Names may be left out: they are then taken from the contract’s ABI. On Solana the name of the instruction in the contract’s Anchor IDL, whose accounts are args.accounts.',
    }),
    expression: Expression(
      'What must hold of the call `e`, such as e.args.amount > 1000n (integers above 48 bits are BigInt). `e` has args, name, signature, address, and what custom_tx has of the transaction; from, to, value, input and selector are those of the call.',
    ),
    status: statusMember,
    addresses: addressesMember,
    innerCalls: InnerCalls(),
  },
  ['signature'],
);

export const customFunction = defineDetector<Static<typeof config>, never>({
  name: 'custom_function',
  title: 'Custom function',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'solana', 'stellar'],
  severity: 'MEDIUM',
  description:
    'A transaction, or a contract within one, calls a function of your choice and an expression about its parameters holds.',
  faq: 'Does it see calls that other contracts make? Where nodes of the chain trace calls, unless innerCalls is false; elsewhere watch an event that the function emits.',
  nextStep: 'Open the transaction that called the function, and check whether its sender may do so.',
  config,
  pending: true,
  fields: [
    'name',
    'signature',
    'args',
    'address',
    ...transactionFields,
    ...senderFields,
    ...outcomeFields,
    'expression',
  ],
  check: ({ signature }, abi) => signatureFaults(() => functionShape(signature, abi)),
  interests: ({ signature, addresses, innerCalls }, contract) =>
    watchedAddresses(addresses, contract).map((address) => ({
      on: 'call',
      address,
      keys: [functionShape(signature, contract.abi).key],
      inner: innerCalls,
    })),
  evaluate(observation, { config: settings, contract, chain, read }) {
    const made = observedCall(observation);
    if (!made || !('transaction' in observation)) return {};
    const { block, transaction } = observation;
    const { item, decode } = functionShape(settings.signature, contract.abi);
    const args = decode(made.input, made.accounts);
    if (!args) refuseCut(made);
    if (!args) return {};
    const { isWanted, values } = outcomeOf(read, settings, made.hash);
    if (!isWanted) return {};
    const e = {
      name: item.name,
      signature: canonicalSignature(item),
      args,
      address: made.to,
      from: made.from,
      to: made.to,
      value: made.value,
      txHash: made.hash,
      blockNumber: block.number,
      timestamp: block.timestamp,
      ...values,
    };
    const sent = senderMembers(transaction, settings.expression, made.input);
    if (!holdsFor(read, settings.expression, { e: { ...sent, ...e } })) return {};
    const where = made.to === contract.address ? contract.name : made.to;
    const message = `${made.from} called ${item.name}(${showArguments(read, chain, made.to ?? contract.address, item, args)}) of ${where}${showPayment(made.value, chain)}.`;
    return {
      detections: [
        {
          message,
          fields: { ...e, ...shownMembers(sent, settings.expression), expression: settings.expression },
        },
      ],
    };
  },
});
