import type { Static } from 'typebox';
import { Configuration, InnerCalls } from '../evidence/parameters.ts';
import type { Frame } from '../model/block.ts';
import { type ContractFacts, type Detection, defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const params = Configuration({ innerCalls: InnerCalls() });

export const contractCreated = defineTrigger<Static<typeof params>, never>({
  type: 'CONTRACT_CREATED',
  families: evmDialect,
  description:
    'The watched address creates a contract, by a transaction of its own or, where nodes of the chain trace calls, within any transaction.',
  params,
  fields: ['contractAddress', 'from', 'value', 'nonce'],
  interests: ({ innerCalls }, { address }) => [
    { on: 'sender', address },
    ...(innerCalls ? [{ on: 'trace' as const, address }] : []),
  ],
  evaluate(observation, { contract, read }) {
    if (observation.type === 'trace') return { detections: innerCreations(observation.frames, contract) };
    if (observation.type !== 'transaction' || observation.transaction.to !== null) return {};
    const { hash, from, value, nonce, created } = observation.transaction;
    const { isSuccess, contractAddress: first } = read.receipt(hash);
    const contractAddress = created ?? first;
    if (!isSuccess || contractAddress === null) return {};
    return {
      detections: [
        {
          message: `${contract.name} created the contract ${contractAddress}.`,
          fields: { contractAddress, from, value, nonce },
        },
      ],
    };
  },
});

function innerCreations(frames: readonly Frame[], { address, name }: ContractFacts): Detection[] {
  return frames.flatMap(({ type, from, to, value, depth, isReverted }, position) => {
    const isCreation = type === 'CREATE' || type === 'CREATE2';
    if (!isCreation || depth === 0 || from !== address || isReverted) return [];
    return [
      {
        part: `creation ${position}`,
        message: `${name} created the contract ${to} within a transaction.`,
        fields: { contractAddress: to, from, value },
      },
    ];
  });
}
