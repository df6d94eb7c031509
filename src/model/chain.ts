import type { ChainUid } from './chainUid.ts';
import type { Family } from './family.ts';

/** The tag that nodes are asked for as the newest final block; `confirmations`: depth alone decides. */
export const finalitySources = ['finalized', 'safe', 'confirmations'] as const;
type Finality = (typeof finalitySources)[number];

export type Chain = {
  readonly uid: ChainUid;
  readonly family: Family;
  readonly name: string;
  readonly network: 'MAINNET' | 'TESTNET' | 'DEVNET';
  readonly currency: { readonly symbol: string; readonly name: string; readonly decimals: number };
  /** The EIP-155 chain id; only EVM chains have one. */
  readonly chainId?: number;
  /** Identity of the network on nodes of other families: the hash of its first block, or its name. */
  readonly genesis?: string;
  readonly blockTimeMs: number;
  /** Blocks that must lie on top of a block before an action may follow from it. */
  readonly confirmations: number;
  /** Source of finality on an EVM chain; `finalized` if left out. */
  readonly finality?: Finality;
  /** Link patterns; `{}` stands for the address, the transaction hash or the block. */
  readonly explorer?: {
    readonly address: string;
    readonly transaction?: string;
    readonly block?: string;
  };
};
