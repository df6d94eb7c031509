import { Type } from 'typebox';
import { transferTopic } from '../../codecs/evm/erc20Transfer.ts';
import { Address, Choice } from '../../evidence/parameters.ts';
import type { ContractFacts, Interest } from '../../model/detection.ts';

export type Direction = 'any' | 'in' | 'out';

export const directionMember = Choice(
  'Transfers to the watched address, from it, or any.',
  ['any', 'in', 'out'],
  'any',
);

export const tokenMember = Type.Optional(
  Address(
    'The token. Without it: any token that the watched address sends or gets and, if it is a token itself, all transfers of it.',
  ),
);

/** All transfers of the watched token, or those that name the watched address. */
export function transferInterests(
  { token, direction }: { token?: string; direction: Direction },
  { address }: ContractFacts,
  topics: readonly string[] = [transferTopic],
): Interest[] {
  const wanted = token;
  const interests: Interest[] =
    direction === 'any' && (wanted ?? address) === address ? [{ on: 'log', address, keys: topics }] : [];
  return wanted === address && direction === 'any'
    ? interests
    : [...interests, { on: 'party', address, keys: topics }];
}

export function isDirected(
  direction: Direction,
  address: string,
  { from, to }: { from: string; to: string | null },
): boolean {
  return direction === 'any' || address === (direction === 'in' ? to : from);
}
