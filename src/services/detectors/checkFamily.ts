import { type Chain, getChain } from '../../chains/chains.ts';
import { unprocessable } from '../../model/errors.ts';
import type { Family } from '../../model/family.ts';
import { findRecord } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';

type Kind = { readonly families: readonly Family[] };

/** The chain of the contract; refused where it is of a family that the detector or trigger does not know. */
export async function checkFamily(
  call: Call,
  { tenantId, contractId }: { tenantId: number; contractId: number },
  {
    name,
    kind,
    kinds,
    pointer,
  }: { name: string; kind: Kind; kinds: ReadonlyMap<string, Kind>; pointer: string },
): Promise<Chain | undefined> {
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const contract = await findRecord(call.db, contractTable, scope, contractId, chainOnly);
  const chain = contract && getChain(contract.chainUid);
  if (!chain || kind.families.includes(chain.family)) return chain;
  const fitting = [...kinds].flatMap(([kind, { families }]) =>
    families.includes(chain.family) ? [kind] : [],
  );
  throw unprocessable(
    pointer,
    'other-family',
    `${name} works on chains of the ${kind.families.length === 1 ? 'family' : 'families'} ${kind.families.join(', ')}; the contract is on ${chain.name}, of the family ${chain.family}. These work there: ${fitting.join(', ')}.`,
  );
}

const chainOnly = ['chainUid'] as const;
