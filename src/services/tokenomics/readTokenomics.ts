import { type ChainUid, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { addDecimal, formatDecimal, parseDecimal, subtractDecimal, toDecimal } from '../../lib/decimal.ts';
import { getOrThrow } from '../../lib/getOrThrow.ts';
import { zip } from '../../lib/zip.ts';
import { Problem } from '../../model/errors.ts';
import {
  findCategories,
  findSupplyDetectors,
  type SupplyDetector,
} from '../../store/contracts/tokenomics.ts';
import { findRecord } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';
import { readTokenState } from '../contracts/readTokenState.ts';
import { findSupplySamples } from './findSupplySamples.ts';
import { amountAt, type Point, sliceLine, sortByTime, sumLines } from './plannedAmounts.ts';

const names = ['id', 'tenantId', 'chainUid', 'address'] as const;

/** The plan of a token beside its contract's present state; without the chain the plan alone, and the reason. */
export async function readTokenomics(call: Call, contractId: number, range: { from?: number; to?: number }) {
  const contract = await findRecord(call.db, contractTable, call.scope, contractId, names);
  if (!contract) throw new Problem('not-found', 'There is no such contract.');
  const contractRef = { id: contractId, tenantId: Number(contract.tenantId) };
  const { chainUid } = contract;
  const [categories, detectors] = await Promise.all([
    findCategories(call.db, contractRef.tenantId, contractId),
    findSupplyDetectors(call.db, contractRef.tenantId, contractId),
  ]);
  const watch = detectors.find((one) => one.isActive && one.schemaName === 'circulation_supply');
  const { canonical } = toChainFacts(getChain(chainUid));
  const lockers = [...new Set((watch?.config.lockerAddresses ?? []).map(canonical))];
  const holders = categories.map(({ address }) => canonicalOf(chainUid, address));
  const [{ fault, token }, samples] = await Promise.all([
    readToken(call, chainUid, canonical(contract.address), [
      ...lockers,
      ...holders.filter((holder) => holder !== null),
    ]),
    findSupplySamples(call, contractRef, detectors, range),
  ]);

  const toLine = (line: readonly Point[], actual: string | null) => {
    const planned = amountAt(line, call.now);
    const isComparable = planned !== null && actual !== null;
    return {
      line: sliceLine(line, range.from, range.to),
      planned,
      actual,
      difference: isComparable
        ? formatDecimal(subtractDecimal(parseDecimal(actual), parseDecimal(planned)))
        : null,
    };
  };
  const balanceOf = (address: string | null) => (address === null ? undefined : token?.balances.get(address));
  const show = (units: bigint | undefined) =>
    units === undefined || !token ? null : formatDecimal(toDecimal(units, token.decimals));
  const locked = token && lockers.reduce((sum, locker) => sum + getOrThrow(token.balances, locker), 0n);
  const releases = categories.flatMap(({ schedules }) => schedules.flatMap(({ amounts }) => amounts));

  return {
    contractId,
    chainUid,
    timestamp: call.now,
    block: token?.block ?? null,
    symbol: token?.symbol ?? null,
    decimals: token?.decimals ?? null,
    fault,
    totalSupply: {
      planned: sumOf(categories.flatMap(({ amount }) => amount ?? [])),
      actual: show(token?.totalSupply),
    },
    circulating: {
      ...toLine(
        plannedCirculation(watch) ?? sumLines(releases),
        show(token && locked !== undefined ? token.totalSupply - locked : undefined),
      ),
      locked: show(locked),
      samples: samples.circulating,
    },
    categories: zip(categories, holders).map(([{ id, uid, name, address, amount, schedules }, holder]) => ({
      id,
      uid,
      name,
      address,
      amount,
      ...toLine(sumLines(schedules.flatMap(({ amounts }) => amounts)), show(balanceOf(holder))),
      samples: (holder === null ? undefined : samples.ofAddress.get(holder)) ?? [],
      schedules: schedules.map((schedule) => {
        const line = sumLines(schedule.amounts);
        return {
          id: schedule.id,
          uid: schedule.uid,
          name: schedule.name,
          line: sliceLine(line, range.from, range.to),
          planned: amountAt(line, call.now),
        };
      }),
    })),
  };
}

/** Null where there is none, or one that was kept before addresses were checked. */
function canonicalOf(chainUid: ChainUid, address: string | null): string | null {
  if (address === null) return null;
  const read = families[getChain(chainUid).family].readAddress(address, getChain(chainUid));
  return 'fault' in read ? null : read.canonical;
}

async function readToken(call: Call, chainUid: ChainUid, address: string, holders: readonly string[]) {
  const client = call.services.chains.client(chainUid);
  if (!client) {
    const message = noEndpoint(chainUid);
    return { fault: { code: 'chain-not-configured', message } };
  }
  const distinct = [...new Set(holders)];
  const state = await readTokenState(client, address, distinct);
  if ('fault' in state) return { fault: state.fault };
  const balances = new Map(zip(distinct, state.balances));
  return { fault: null, token: { ...state, balances } };
}

/** The levels that the detector of the circulating supply is configured to expect, which outrank what categories add up to. */
function plannedCirculation(watch: SupplyDetector | undefined): Point[] | undefined {
  const schedule = watch?.config.schedule ?? [];
  if (schedule.length === 0) return undefined;
  return sortByTime(schedule.map(({ at, supply }) => ({ timestamp: Date.parse(at), amount: supply })));
}

function sumOf(amounts: readonly string[]): string | null {
  if (amounts.length === 0) return null;
  return formatDecimal(amounts.map(parseDecimal).reduce(addDecimal));
}
