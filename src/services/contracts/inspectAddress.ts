import type { ChainClient } from '../../chains/chainClient.ts';
import type { FamilyNodes } from '../../chains/chainFamily.ts';
import { type ChainUid, chainUids, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { messageOf } from '../../lib/messageOf.ts';
import type { Header } from '../../model/block.ts';
import type { Inspection } from '../../model/contractKinds.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from './noEndpoint.ts';

type Inspect = NonNullable<FamilyNodes['inspect']>;

export type ChainInspection = Inspection & {
  chainUid: ChainUid;
  block: number | null;
  /** Reason why nothing is known of the address on this chain. */
  fault: string | null;
  abi: { source: string; items: number } | null;
};

const inspectTimeoutMs = 8000;
const noneToInspect =
  'No chain with contracts that can be inspected has an endpoint; the operator sets VIGIL_RPC_<CHAIN>.';

export function cannotInspect(chainUid: ChainUid): string {
  return `Contracts on ${chainUid} cannot be inspected.`;
}

/** Looks where an address has code and what it is, on one chain or on all that are configured. */
export async function inspectAddress(
  call: Call,
  text: string,
  chainUid: ChainUid | undefined,
): Promise<{ address: string; data: ChainInspection[] }> {
  const { isConfigured } = call.services.chains;
  if (chainUid && !isConfigured(chainUid)) throw new Problem('conflict', noEndpoint(chainUid));
  const candidates = chainUid ? [chainUid] : chainUids.filter(isConfigured);
  const uids = candidates.filter((uid) => families[getChain(uid).family].nodes?.inspect);
  const [first] = uids;
  if (!first) throw new Problem('conflict', chainUid ? cannotInspect(chainUid) : noneToInspect);
  const reads = uids.map((uid) => ({
    uid,
    ...families[getChain(uid).family].readAddress(text, getChain(uid)),
  }));
  const fitting = reads.flatMap((read) => ('fault' in read ? [] : [read]));
  const fault = reads.flatMap((read) => ('fault' in read ? [read.fault] : []))[0];
  const address = fitting[0]?.canonical;
  if (address === undefined) throw unprocessable('/address', 'not-an-address', String(fault));
  const data = await Promise.all(fitting.map(({ uid, canonical }) => inspectOn(call, uid, canonical)));
  return { address, data };
}

async function inspectOn(call: Call, chainUid: ChainUid, address: string): Promise<ChainInspection> {
  try {
    const { inspection, header } = await inspectNow(call, chainUid, address);
    const abi = inspection.hasCode ? await findAbi(call, chainUid, address, inspection.implementation) : null;
    return { ...inspection, chainUid, block: header.number, fault: null, abi };
  } catch (error) {
    const nothing = { hasCode: false, kinds: [], proxyKind: null, implementation: null, facts: {} };
    return {
      ...nothing,
      chainUid,
      block: null,
      abi: null,
      fault: `The chain does not respond: ${messageOf(error)}`,
    };
  }
}

/** Inspects the address after the newest block. */
export async function inspectNow(
  { services }: Call,
  chainUid: ChainUid,
  address: string,
): Promise<{ inspection: Inspection; header: Header }> {
  const client = services.chains.client(chainUid);
  if (!client) throw new Problem('conflict', noEndpoint(chainUid));
  const timeout = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`no answer within ${inspectTimeoutMs} ms`)), inspectTimeoutMs).unref(),
  );
  const inspect = families[getChain(chainUid).family].nodes?.inspect;
  if (!inspect) throw new Problem('conflict', cannotInspect(chainUid));
  return Promise.race([readNow(client, inspect, address), timeout]);
}

async function readNow(client: ChainClient, inspect: Inspect, address: string) {
  const header = await client.header('latest');
  if (!header) throw new Error('it has no newest block');
  return { header, inspection: await inspect(client, header, address) };
}

/** Functions of a proxy are those of its implementation; elsewhere contracts may state them themselves. */
async function findAbi(call: Call, chainUid: ChainUid, address: string, implementation: string | null) {
  const client = call.services.chains.client(chainUid);
  if (client?.findInterface) {
    const stated = await client.findInterface(address);
    return stated ? { source: 'the contract itself', items: stated.length } : null;
  }
  const abi = await call.services.abiSources.find(chainUid, implementation ?? address);
  return abi ? { source: abi.source, items: abi.abi.length } : null;
}
