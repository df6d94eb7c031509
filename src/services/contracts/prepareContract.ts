import { type ChainUid, chains } from '../../chains/chains.ts';
import { abiFaults } from '../../chains/evm/abi/abiFaults.ts';
import { families } from '../../chains/families.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { unprocessable } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import type { contractTable } from '../../store/contracts/contractTable.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';

type ContractChange = ChangeOf<typeof contractTable>;

/** The address must be one of its chain; it is shown as given and compared in its one canonical spelling. */
export async function prepareContract(call: Call, { input, current }: ContractChange): Promise<Row> {
  const chain = chains[current ? current.chainUid : input.chainUid];
  const faultsOf = families[chain.family].abiFaults ?? abiFaults;
  const faults = faultsOf(input.abi ?? [], '/abi');
  if (faults.length > 0) throw invalidInput(faults);
  if (current) return input;
  const read = families[chain.family].readAddress(input.address, chain);
  if ('fault' in read) throw unprocessable('/address', 'not-an-address', read.fault);
  const found = await inspect(call, chain.uid, read.canonical);
  const abi = input.abi ?? (await findAbi(call, chain.uid, found.implementation ?? read.canonical));
  return { ...input, ...(abi ? { abi } : {}), canonicalAddress: read.canonical, ...found };
}

/** The ABI that a source knows, so that events and calls are shown with their arguments; never a reason to refuse. */
async function findAbi(
  call: Call,
  chainUid: ChainUid,
  address: string,
): Promise<readonly unknown[] | undefined> {
  const found = await call.services.abiSources.find(chainUid, address);
  return found && abiFaults(found.abi, '/abi').length === 0 ? found.abi : undefined;
}

const inspectTimeoutMs = 1000;

/** The newest block and the implementation of a proxy, if a node responds soon; otherwise the chain follower finds it. */
async function inspect(
  call: Call,
  chainUid: ChainUid,
  address: string,
): Promise<{ implementation?: string | null; inspectedAt?: number; watchedFrom?: number }> {
  const client = call.services.chains.client(chainUid);
  if (!client) return {};
  const read = async () => {
    const latest = await client.header('latest');
    if (!latest) return undefined;
    return { implementation: await client.findImplementation(latest, address), watchedFrom: latest.number };
  };
  const found = await settleWithin(
    inspectTimeoutMs,
    read().catch(() => undefined),
    () => undefined,
  );
  return found ? { ...found, inspectedAt: call.now } : {};
}
