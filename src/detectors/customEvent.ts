import { type Static, Type } from 'typebox';
import { canonicalSignature } from '../codecs/evm/abi.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { eventShape } from '../evidence/contractInterface.ts';
import {
  addressesMember,
  Expression,
  outcomeFields,
  outcomeOf,
  senderFields,
  senderMembers,
  shownMembers,
  signatureFaults,
  transactionFields,
  watchedAddresses,
} from '../evidence/customParameters.ts';
import { showArguments } from '../evidence/evm/describeCall.ts';
import { holdsFor } from '../evidence/holdsFor.ts';
import { Configuration } from '../evidence/parameters.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration(
  {
    signature: Type.String({
      format: evmFormat.eventSignature,
      description:
        'The event, such as Transfer(address indexed from, address indexed to, uint256 value). Names and what is indexed may be left out: they are then taken from the contract’s ABI. On Solana the name of the event in the contract’s Anchor IDL.',
    }),
    expression: Expression(
      'What must hold of the event `e`, such as e.args.value > 1000n (integers above 48 bits are BigInt). `e` has args, name, signature, address, logIndex and what custom_tx has of the transaction.',
    ),
    addresses: addressesMember,
  },
  ['signature'],
);

export const customEvent = defineDetector<Static<typeof config>, never>({
  name: 'custom_event',
  title: 'Custom event',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'solana', 'stellar'],
  recommendedFor: {
    ERC721: () => ({
      config: {
        signature: 'BatchMetadataUpdate(uint256 fromTokenId, uint256 toTokenId)',
        severity: 'MEDIUM',
      },
      reason:
        'It is a collection (ERC-721): a change of the metadata of many tokens replaces what holders own.',
    }),
    ERC1155: () => ({
      config: { signature: 'URI(string value, uint256 indexed id)', severity: 'MEDIUM' },
      reason: 'It is a collection (ERC-1155): a change of the metadata of a token replaces what holders own.',
    }),
  },
  severity: 'MEDIUM',
  description: 'An event of your choice is emitted and an expression about its values holds.',
  faq: 'How do I compare amounts? They are big integers: write e.args.value > 1000n, or 10n ** 18n for a whole token of 18 decimals.',
  nextStep: 'Open the transaction that emitted the event, and check whether it was meant.',
  config,
  pending: true,
  fields: [
    'name',
    'signature',
    'args',
    'address',
    ...transactionFields,
    'logIndex',
    ...senderFields,
    ...outcomeFields,
    'expression',
  ],
  check: ({ signature }, abi) => signatureFaults(() => eventShape(signature, abi)),
  interests: ({ signature, addresses }, contract) =>
    watchedAddresses(addresses, contract).map((address) => ({
      on: 'log',
      address,
      keys: [eventShape(signature, contract.abi).key],
    })),
  evaluate(observation, { config: { signature, expression }, contract, chain, read }) {
    if (observation.type !== 'log') return {};
    const { log, transaction, block } = observation;
    const { item: event, decode } = eventShape(signature, contract.abi);
    const e = {
      name: event.name,
      signature: canonicalSignature(event),
      args: decode(log),
      address: log.address,
      from: transaction.from,
      to: transaction.to,
      value: transaction.value,
      txHash: transaction.hash,
      blockNumber: block.number,
      timestamp: block.timestamp,
      logIndex: log.index,
    };
    const { values } = outcomeOf(read, { status: 'any', expression }, transaction.hash);
    const sent = { ...senderMembers(transaction, expression), ...values };
    if (!holdsFor(read, expression, { e: { ...sent, ...e } })) return {};
    const where = log.address === contract.address ? contract.name : log.address;
    return {
      detections: [
        {
          message: `${where} emitted ${event.name}(${showArguments(read, chain, log.address, event, e.args)}) in a transaction of ${transaction.from}.`,
          fields: { ...e, ...shownMembers(sent, expression), ...values, expression },
        },
      ],
    };
  },
});
