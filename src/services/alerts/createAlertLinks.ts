import { findChain } from '../../chains/chains.ts';
import type { AlertLinks } from '../../model/notification.ts';

/** Links to the transaction, else the block, else the contract, and to the alert itself. */
export function createAlertLinks(baseUrl: () => string): AlertLinks {
  return ({ uid, chainUid, txHash, blockNumber, contract }) => {
    const explorer = findChain(chainUid ?? contract?.chainUid ?? '')?.explorer;
    const link = (pattern: string, value: string) => pattern.replace('{}', encodeURIComponent(value));
    const explorerLink = (): string | null => {
      if (!explorer) return null;
      if (txHash && explorer.transaction) return link(explorer.transaction, txHash);
      if (blockNumber !== null && explorer.block) return link(explorer.block, String(blockNumber));
      return contract ? link(explorer.address, contract.address) : null;
    };
    return { explorer: explorerLink(), alert: `${baseUrl()}/alert/${uid}` };
  };
}
