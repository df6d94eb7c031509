import { getChain } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import type { FunctionItem } from '../chains/familyActions.ts';
import type { AllowedCall } from '../model/action.ts';
import { actionsOn } from './fillCall.ts';

type PlannedCall = {
  funcAbi: FunctionItem;
  contract: { address: string; name: string; chainUid: string };
  wallet: { allowedCalls: readonly AllowedCall[] | null };
};

/**
 * The reason to refuse the wallet this call; undefined when allowed. A wallet without a list may call every contract of
 * its tenant. Where calls are payments, the list names payees, known after filling.
 */
export function checkAllowedCalls(
  { funcAbi, contract, wallet }: PlannedCall,
  recipient?: string,
): { member: 'walletId' | 'funcSignature'; reason: string } | undefined {
  if (wallet.allowedCalls === null) return undefined;
  const { functionKey, parseFunction, isPayment } = actionsOn(contract.chainUid);
  const target = isPayment ? recipient : contract.address;
  const address = target === undefined ? undefined : canonicalAddress(contract.chainUid, target);
  const ofContract = wallet.allowedCalls.filter(
    (allowed) => address === undefined || allowed.address === address,
  );
  if (ofContract.length === 0)
    return {
      member: 'walletId',
      reason: isPayment
        ? `The wallet may not pay ${target ?? 'anyone'}: its allowedCalls do not name this address.`
        : `The wallet may not call ${contract.name} (${contract.address}): its allowedCalls do not name this contract.`,
    };
  const key = functionKey(funcAbi);
  const isAllowed = ofContract.some(
    ({ functions }) =>
      functions === null || functions.some((signature) => functionKey(parseFunction(signature, [])) === key),
  );
  if (isAllowed) return undefined;
  return {
    member: 'funcSignature',
    reason: `The wallet may not call ${signatureOf(funcAbi)} of ${contract.name}: its allowedCalls do not name this function.`,
  };
}

/** `name(type,type)`. */
function signatureOf({ name, inputs }: FunctionItem): string {
  return `${name}(${inputs.map(({ type }) => type).join(',')})`;
}

function canonicalAddress(chainUid: string, address: string): string {
  const chain = getChain(chainUid);
  const read = families[chain.family].readAddress(address, chain);
  return 'fault' in read ? address : read.canonical;
}
