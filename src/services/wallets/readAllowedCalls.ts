import type { Chain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import type { AllowedCall } from '../../model/action.ts';
import { unprocessable } from '../../model/errors.ts';
import { findRecord } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';

export type AllowedCallInput = {
  contractId?: number | null;
  address?: string;
  functions?: readonly string[] | null;
};

/** The list with canonical addresses, which stays valid when contract records are added or deleted. */
export async function readAllowedCalls(
  call: Call,
  tenantId: number,
  chain: Chain,
  input: readonly AllowedCallInput[],
): Promise<AllowedCall[]> {
  const allowed: AllowedCall[] = [];
  for (const [index, item] of input.entries()) {
    const pointer = `/allowedCalls/${index}`;
    const functions = item.functions ?? null;
    for (const [position, signature] of (functions ?? []).entries())
      checkSignature(chain, signature, `${pointer}/functions/${position}`);
    const address = item.address === undefined ? undefined : readAddress(chain, item.address, pointer);
    const contractId = item.contractId ?? null;
    const ofContract =
      contractId === null ? undefined : await contractAddress(call, tenantId, chain, contractId, pointer);
    const target = ofContract ?? address;
    if (target === undefined)
      throw unprocessable(pointer, 'required', 'must name a contract by `contractId` or by `address`.');
    if (address !== undefined && ofContract !== undefined && address !== ofContract)
      throw unprocessable(
        `${pointer}/address`,
        'mismatch',
        'is not the address of the contract `contractId`.',
      );
    allowed.push({ contractId, address: target, functions });
  }
  return allowed;
}

function checkSignature({ family, name }: Chain, signature: string, pointer: string): void {
  const { actions } = families[family];
  if (!actions) throw unprocessable(pointer, 'family', `Vigil calls no functions on ${name} yet.`);
  try {
    actions.parseFunction(signature, []);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unprocessable(pointer, 'signature', `must be a function signature: ${error.message}`);
  }
}

function readAddress(chain: Chain, text: string, pointer: string): string {
  const read = families[chain.family].readAddress(text, chain);
  if ('fault' in read) throw unprocessable(`${pointer}/address`, 'not-an-address', read.fault);
  return read.canonical;
}

const members = ['address', 'chainUid'] as const;

async function contractAddress(
  call: Call,
  tenantId: number,
  chain: Chain,
  id: number,
  pointer: string,
): Promise<string> {
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const contract = await findRecord(call.db, contractTable, scope, id, members);
  if (!contract)
    throw unprocessable(`${pointer}/contractId`, 'unknown-reference', 'There is no contract with this id.');
  if (contract.chainUid !== chain.uid)
    throw unprocessable(
      `${pointer}/contractId`,
      'other-chain',
      `The contract is on ${contract.chainUid} and the wallet on ${chain.uid}; they must be on the same chain.`,
    );
  return readAddress(chain, contract.address, pointer);
}
