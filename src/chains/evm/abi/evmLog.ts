import type { Log } from '../../../model/block.ts';
import { isAddressTopic, topicAddress } from './words.ts';

type Values = Omit<Log, 'key' | 'indexed' | 'parties'> & { readonly topics: readonly string[] };

/** A log as nodes send it: the first topic says which event it is, the others are its indexed values. */
export class EvmLog implements Log {
  readonly address: string;
  readonly key: string;
  readonly indexed: readonly string[];
  readonly data: string;
  readonly index: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;

  constructor({ address, topics, data, index, transactionHash, transactionIndex }: Values) {
    this.address = address;
    this.key = topics[0] ?? '';
    this.indexed = topics.slice(1);
    this.data = data;
    this.index = index;
    this.transactionHash = transactionHash;
    this.transactionIndex = transactionIndex;
  }

  get parties(): readonly string[] {
    return this.indexed.filter(isAddressTopic).map(topicAddress);
  }
}
