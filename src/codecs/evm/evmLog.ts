import type { Log } from '../../model/block.ts';
import { transferTopic } from './transferTopic.ts';
import { isAddressTopic, logWords, topicAddress } from './words.ts';

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
    const isPlain = this.indexed.length < 2 && this.key === transferTopic;
    return (isPlain ? transferWords(this) : this.indexed).filter(isAddressTopic).map(topicAddress);
  }
}

/** Some early tokens index neither end of a transfer, or only one. */
function transferWords(log: EvmLog): readonly string[] {
  const words = logWords(log);
  return words.length === 3 ? words.slice(0, 2) : log.indexed;
}
