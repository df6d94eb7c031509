import type { Family } from '../../chains/chains.ts';
import { nativeInterface } from '../../codecs/solana/nativeInstructions.ts';
import { findContractAbi, findContractAddress } from '../../store/contracts/findContractAbi.ts';
import type { Db } from '../../store/db/db.ts';

/** The ABI that a contract was given, else what is known of a program of the chain itself; empty when there is none. */
export async function findAbi(
  db: Db,
  tenantId: number,
  contractId: number,
  family: Family,
): Promise<readonly unknown[]> {
  const abi = await findContractAbi(db, tenantId, contractId);
  if (family !== 'solana' || abi.length > 0) return abi;
  const address = await findContractAddress(db, tenantId, contractId);
  return (address !== undefined && nativeInterface(address)) || abi;
}
