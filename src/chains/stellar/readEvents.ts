import { withoutMuxing } from '../../codecs/stellar/strkey.ts';
import { membersOf } from '../../lib/isRecord.ts';
import type { Transfer } from '../../model/block.ts';
import { listOf, recordOf } from '../net/members.ts';
import { mapOf } from './entries.ts';
import type { Network } from './network.ts';

/** An event that a contract emitted, values in the JSON form of ScVal. */
export type ContractEvent = {
  readonly contract: string;
  readonly topics: readonly unknown[];
  readonly data: unknown;
};

export function readEvents(events: unknown): ContractEvent[] {
  return listOf(events, 'events').flatMap((event): ContractEvent[] => {
    const { contract_id: contract, body, type_: type } = recordOf(event);
    if (typeof contract !== 'string' || type !== 'contract') return [];
    const { topics, data } = recordOf(recordOf(body).v0);
    return [{ contract, topics: listOf(topics, 'topics'), data }];
  });
}

/** The name of an event: its first topic, where that is one. */
export function eventName({ topics }: Pick<ContractEvent, 'topics'>): string {
  const { symbol, string } = membersOf(topics[0]);
  return typeof symbol === 'string' ? symbol : typeof string === 'string' ? string : '';
}

/**
 * The transfer in a token event (SEP-41, CAP-67); undefined for any other event. The asset is the emitting contract,
 * whatever the event states.
 */
export function transferIn(event: ContractEvent, network: Network): Transfer | undefined {
  const amount = amountIn(event.data);
  const addresses = event.topics.slice(1).flatMap(addressIn);
  const [first = null, second = null] = addresses;
  const last = addresses.at(-1) ?? null;
  const asset = network.tokenOf(event.contract);
  if (amount === undefined || first === null) return undefined;
  switch (eventName(event)) {
    case 'transfer':
      return second === null ? undefined : { asset, from: first, to: second, amount };
    // Older tokens name who mints or takes back in front.
    case 'mint':
      return { asset, from: null, to: last, amount };
    case 'burn':
    case 'clawback':
      return { asset, from: last, to: null, amount };
    default:
      return undefined;
  }
}

export function addressIn(value: unknown): string[] {
  const { address } = membersOf(value);
  return typeof address === 'string' ? [withoutMuxing(address)] : [];
}

/** A number, or one beside the number of a muxed recipient. */
function amountIn(data: unknown): bigint | undefined {
  const { i128 } = membersOf(membersOf(data).map === undefined ? data : mapOf(data).get('amount'));
  return typeof i128 === 'string' && /^\d{1,39}$/.test(i128) ? BigInt(i128) : undefined;
}

/** Calls of contracts that nodes with diagnostics tell, those within others as well, in their order. */
export function readDiagnosedCalls(events: unknown): {
  contract: string;
  name: string;
  args: readonly unknown[];
  depth: number;
  caller: string | null;
}[] {
  let depth = 0;
  return listOf(events, 'events').flatMap((item) => {
    const { event, in_successful_contract_call: isKept } = recordOf(item);
    const { contract_id: caller, body } = recordOf(event);
    const { topics, data } = recordOf(recordOf(body).v0);
    const [kind, contract, name] = listOf(topics, 'topics').map(membersOf);
    if (kind?.symbol === 'fn_return') depth--;
    if (kind?.symbol !== 'fn_call') return [];
    const { vec } = membersOf(data);
    const args: readonly unknown[] = Array.isArray(vec) ? vec : data === 'void' ? [] : [data];
    const call = { contract: String(contract?.bytes), name: String(name?.symbol), args, depth };
    depth++;
    return isKept === true ? [{ ...call, caller: typeof caller === 'string' ? caller : null }] : [];
  });
}
