import type { Log, Transaction } from '../../../model/block.ts';
import { eventTopic, topicAddress } from '../abi/abi.ts';
import { logWords } from '../abi/logWords.ts';
import { transferTopic, zeroAddress } from './erc20Transfer.ts';

/** Somebody who has to do with the watched contract in a transaction, in the first of the roles that apply. */
export type Party = {
  readonly address: string;
  readonly role: 'sender' | 'recipient' | 'tokenSender' | 'tokenRecipient';
  /** The log of the transfer, for the roles of tokens. */
  readonly log?: Log;
};

/** The two ends of the transaction and of its token transfers that are of, from or to the watched address. */
export function partiesOf({ from, to, logs }: Transaction, watched: string): Party[] {
  const parties = new Map<string, Party>();
  const add = (party: Party) => {
    if (party.address === watched || party.address === zeroAddress || parties.has(party.address)) return;
    parties.set(party.address, party);
  };
  add({ address: from, role: 'sender' });
  if (to !== null) add({ address: to, role: 'recipient' });
  for (const log of logs) {
    const ends = endsOf(log);
    if (!ends || ![log.address, ...ends].includes(watched)) continue;
    add({ address: ends[0], role: 'tokenSender', log });
    add({ address: ends[1], role: 'tokenRecipient', log });
  }
  return [...parties.values()];
}

/** ERC-1155 names the operator first. */
const multiTokenTopics = [
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
].map(eventTopic);

/** Who gives and who takes in a transfer of an ERC-20, ERC-721 or ERC-1155 token. */
export function endsOf(log: Log): [from: string, to: string] | undefined {
  const first = log.key === transferTopic ? 0 : multiTokenTopics.includes(log.key) ? 1 : undefined;
  if (first === undefined) return undefined;
  const words = logWords(log);
  const [from, to] = [words[first], words[first + 1]];
  return from === undefined || to === undefined ? undefined : [topicAddress(from), topicAddress(to)];
}
