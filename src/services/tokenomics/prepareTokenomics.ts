import { randomUUID } from 'node:crypto';
import { getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { unprocessable } from '../../model/errors.ts';
import { everything } from '../../model/principal.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { tokenomicsCategoryTable } from '../../store/tables/tokenomicsCategoryTable.ts';
import type { tokenomicsScheduleTable } from '../../store/tables/tokenomicsScheduleTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { sortByTime } from './plannedAmounts.ts';

type CategoryChange = ChangeOf<typeof tokenomicsCategoryTable>;
type ScheduleChange = ChangeOf<typeof tokenomicsScheduleTable>;

/** The address must be one of the token's chain, or its balance could never be compared. */
export async function prepareCategory(call: Call, { input, current }: CategoryChange): Promise<Row> {
  if (input.address != null) {
    const contractId = current ? current.contractId : input.contractId;
    const contract = await findRecord(call.db, contractTable, everything, contractId, ['chainUid']);
    if (!contract) throw new Error(`The contract ${contractId} of a tokenomics category cannot be read.`);
    const chain = getChain(contract.chainUid);
    const read = families[chain.family].readAddress(input.address, chain);
    if ('fault' in read) throw unprocessable('/address', 'not-an-address', read.fault);
  }
  return withUid(input, current);
}

/** Releases are kept in order of time, however they were given. */
export function prepareSchedule(_call: Call, { input, current }: ScheduleChange): Row {
  return withUid({ ...input, ...(input.amounts && { amounts: sortByTime(input.amounts) }) }, current);
}

function withUid(input: Row, current: Row | undefined): Row {
  return current ? input : { ...input, uid: randomUUID() };
}
