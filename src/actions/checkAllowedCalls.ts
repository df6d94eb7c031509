import { getChain } from '../chains/chains.ts';
import { canonicalSignature, type FunctionItem, parseFunction, selectorOf } from '../chains/evm/abi/abi.ts';
import { families } from '../chains/families.ts';
import type { AllowedCall } from '../model/action.ts';

type PlannedCall = {
  funcAbi: FunctionItem;
  contract: { address: string; name: string; chainUid: string };
  wallet: { allowedCalls: readonly AllowedCall[] | null };
};

/** The reason why the wallet may not make this call; undefined when it may. A wallet without a list may call every contract of its tenant. */
export function checkAllowedCalls({
  funcAbi,
  contract,
  wallet,
}: PlannedCall): { member: 'walletId' | 'funcSignature'; reason: string } | undefined {
  if (wallet.allowedCalls === null) return undefined;
  const address = canonicalAddress(contract.chainUid, contract.address);
  const ofContract = wallet.allowedCalls.filter((allowed) => allowed.address === address);
  if (ofContract.length === 0)
    return {
      member: 'walletId',
      reason: `The wallet may not call ${contract.name} (${contract.address}): its allowedCalls do not name this contract.`,
    };
  const selector = selectorOf(funcAbi);
  const isAllowed = ofContract.some(
    ({ functions }) =>
      functions === null || functions.some((signature) => selectorOf(parseFunction(signature)) === selector),
  );
  if (isAllowed) return undefined;
  return {
    member: 'funcSignature',
    reason: `The wallet may not call ${canonicalSignature(funcAbi)} of ${contract.name}: its allowedCalls do not name this function.`,
  };
}

function canonicalAddress(chainUid: string, address: string): string {
  const chain = getChain(chainUid);
  const read = families[chain.family].readAddress(address, chain);
  return 'fault' in read ? address : read.canonical;
}
