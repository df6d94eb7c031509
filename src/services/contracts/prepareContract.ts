import { type Chain, type ChainUid, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { abiFaults } from '../../codecs/evm/abiFaults.ts';
import { type Fault, unprocessable } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import type { Row } from '../../store/records/records.ts';
import type { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { settleSoon } from '../records/settleSoon.ts';
import { holdChain } from './holdChain.ts';

type ContractChange = ChangeOf<typeof contractTable>;

/** The address must be one of its chain; it is shown as given and compared in its one canonical spelling. */
export async function prepareContract(call: Call, { input, current }: ContractChange): Promise<Row> {
  const chain = getChain(current ? current.chainUid : input.chainUid);
  const faults = faultsOf(chain, input.abi ?? []);
  if (faults.length > 0) throw invalidInput(faults);
  if (current) return input;
  await holdChain(call, chain.uid);
  const read = families[chain.family].readAddress(input.address, chain);
  if ('fault' in read) throw unprocessable('/address', 'not-an-address', read.fault);
  const inspection = await inspect(call, chain.uid, read.canonical);
  const abi = input.abi ?? (await findAbi(call, chain.uid, inspection.implementation ?? read.canonical));
  return { ...input, ...(abi ? { abi } : {}), canonicalAddress: read.canonical, ...inspection };
}

/** The ABI that the contract carries or a source knows, so that events and calls are shown with their arguments; never a reason to refuse. */
async function findAbi(
  call: Call,
  chainUid: ChainUid,
  address: string,
): Promise<readonly unknown[] | undefined> {
  const chain = getChain(chainUid);
  const client = call.services.chains.client(chainUid);
  const findInterface = client?.findInterface;
  const abi = findInterface
    ? await settleSoon(call)(() => findInterface(address))
    : (await call.services.abiSources.find(chainUid, address))?.abi;
  return abi && faultsOf(chain, abi).length === 0 ? abi : undefined;
}

function faultsOf({ family }: Chain, abi: readonly unknown[]): Fault[] {
  return (families[family].abiFaults ?? abiFaults)(abi, '/abi');
}

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
  const settled = await settleSoon(call)(read);
  return settled ? { ...settled, inspectedAt: call.now } : {};
}
