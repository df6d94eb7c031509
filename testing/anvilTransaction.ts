import type { Hex } from 'ox';

export type Transaction = {
  from?: string;
  to?: string;
  data?: string;
  value?: bigint;
  /** Given by default, so that a transaction which reverts is mined instead of refused. */
  gas?: bigint;
};

export type Receipt = {
  transactionHash: Hex.Hex;
  blockNumber: bigint;
  blockHash: Hex.Hex;
  status: 'success' | 'reverted';
  gasUsed: bigint;
  contractAddress: Hex.Hex | null;
  logs: { address: Hex.Hex; topics: Hex.Hex[]; data: Hex.Hex; logIndex: Hex.Hex }[];
};
