import { assetSpec } from '../../codecs/stellar/assetSpec.ts';
import type { SorobanQuery } from '../../codecs/stellar/sorobanView.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { type Raw, recordOf, textOf } from '../net/members.ts';
import { textIn } from '../readTraits.ts';
import { amountOf, mapOf, pairsOf, readBalance } from './entries.ts';
import { type Network, parseAsset } from './network.ts';
import { type Key, keyText, readEntries } from './readEntries.ts';
import { readSpec } from './readSpec.ts';
import { invocation, type Simulated, simulate } from './simulate.ts';
import { encodeXdr } from './xdr.ts';

/** Of all assets that have an issuer, and of the chain's own coin. */
const classicDecimals = 7;

/** Answers of the newest state: nodes keep no other. */
export function createStateReader(
  { request }: Pick<Endpoints, 'request'>,
  network: Network,
): ChainClient['readState'] {
  const specs: Specs = createBoundedMap(maxSpecs);
  return async (_block, questions) => {
    const assets = [
      ...new Set(questions.flatMap((question) => ('asset' in question ? [question.asset] : []))),
    ];
    const contracts = [
      ...new Set([
        ...assets,
        ...questions.flatMap((question) =>
          question.type === 'code' || question.type === 'storage' ? [question.address] : [],
        ),
      ]),
    ].filter(isContract);
    const instances = await readEntries(request, contracts.map(instanceKey));
    const instanceOf = (contract: string) => instances.get(keyText(instanceKey(contract))) ?? null;
    const classic = new Map(assets.map((asset) => [asset, classicOf(asset, instanceOf(asset), network)]));
    const plan = (question: StateRead) => planRead(question, classic, instanceOf, network, specs);
    const plans = questions.map(plan);
    const [entries, simulated] = await Promise.all([
      readEntries(
        request,
        plans.flatMap((plan) => ('key' in plan ? [plan.key] : [])),
      ),
      simulate(
        request,
        plans.flatMap((plan) => ('call' in plan ? [plan.call] : [])),
      ),
    ]);
    let index = 0;
    return plans.map((plan): StateResult => {
      if ('result' in plan) return plan.result;
      if ('key' in plan) return plan.read(entries.get(keyText(plan.key)) ?? null);
      return plan.read(simulated[index++]!);
    });
  };
}

type Plan =
  | { result: StateResult }
  | { key: Key; read: (entry: Raw | null) => StateResult }
  | {
      call: { contract: string; name: string; args: readonly unknown[] };
      read: (answer: Simulated) => StateResult;
    };

/** The source of an answer: nothing, a ledger entry, or the function of a contract. */
function planRead(
  question: StateRead,
  classic: ReadonlyMap<string, unknown>,
  instanceOf: (contract: string) => Raw | null,
  network: Network,
  specs: Specs,
): Plan {
  switch (question.type) {
    case 'balance':
      return holdingPlan('native', question.address, 'native', network);
    case 'holding':
      return holdingPlan(question.asset, question.holder, classic.get(question.asset), network);
    case 'decimals':
      if (classic.get(question.asset) !== undefined) return { result: { value: classicDecimals } };
      return viewPlan(question.asset, 'decimals', [], (value) => Number(membersOf(value).u32));
    case 'symbol': {
      const name = assetText(classic.get(question.asset));
      if (name !== undefined) return { result: { value: name.split(':')[0] ?? '' } };
      return viewPlan(question.asset, 'symbol', [], (value) => {
        const { string, symbol } = membersOf(value);
        return [string, symbol].find((text) => typeof text === 'string') ?? '';
      });
    }
    case 'supply':
      if (classic.get(question.asset) !== undefined)
        return missing('Stellar nodes do not count how much of an asset there is');
      return viewPlan(question.asset, 'total_supply', [], numberIn);
    case 'code':
      return codePlan(question.address, instanceOf(question.address));
    case 'call':
      return callPlan(question.to, question.data);
    case 'storage':
      return instancePlan(question, instanceOf(question.address), specs);
    case 'receipt':
    case 'trace':
    case 'replay':
      return missing(`Stellar has no ${question.type} to read`);
  }
}

function missing(why: string): Plan {
  return { result: { missing: why, isGone: true } };
}

function holdingPlan(asset: string, holder: string, classic: unknown, network: Network): Plan {
  if (classic === undefined)
    return viewPlan(asset, 'balance', [{ address: holder }], (value) => numberIn(value));
  if (isContract(holder)) {
    const contract = asset === 'native' ? network.nativeContract : asset;
    const key = { vec: [{ symbol: 'Balance' }, { address: holder }] };
    return {
      key: { contract_data: { contract, key, durability: 'persistent' } },
      read: (entry: Raw | null) => ({
        value: (isRecord(entry?.contract_data) && readBalance(entry.contract_data)?.amount) || 0n,
      }),
    };
  }
  if (classic === 'native')
    return {
      key: { account: { account_id: holder } },
      read: (entry: Raw | null) => ({ value: entry ? amountOf(recordOf(entry.account).balance) : 0n }),
    };
  return {
    key: { trustline: { account_id: holder, asset: classic } },
    read: (entry: Raw | null) => ({ value: entry ? amountOf(recordOf(entry.trustline).balance) : 0n }),
  };
}

/** Specs by the hash of the code that they are from, as JSON; undefined where the code has none. */
type Specs = Map<string, string | undefined>;
const maxSpecs = 1000;

/** State of a contract instance in the ledger: the hash of its code (`0x` without) and its spec. */
function instancePlan(
  { address, key }: Extract<StateRead, { type: 'storage' }>,
  instance: Raw | null,
  specs: Specs,
): Plan {
  if (key !== 'module_hash' && key !== 'interface') return missing(`Stellar keeps no ${key} of contracts`);
  if (!instance) return missing(`there is no contract ${address}`);
  const { wasm } = membersOf(instance.executable);
  if (key === 'module_hash') return { result: { value: typeof wasm === 'string' ? `0x${wasm}` : '0x' } };
  if (typeof wasm !== 'string') return { result: { value: JSON.stringify(assetSpec) } };
  const toResult = (spec: string | undefined): StateResult =>
    spec === undefined ? { missing: `the code of ${address} has no spec`, isGone: true } : { value: spec };
  if (specs.has(wasm)) return { result: toResult(specs.get(wasm)) };
  const code = codePlan(address, instance);
  if (!('key' in code)) return code;
  return {
    key: code.key,
    read(entry: Raw | null) {
      const found = code.read(entry);
      const wasmText = textIn(found);
      if (wasmText === undefined) return found;
      const spec = readSpec(Buffer.from(wasmText.slice(2), 'hex'));
      specs.set(wasm, spec && JSON.stringify(spec));
      return toResult(specs.get(wasm));
    },
  };
}

/** The WebAssembly of a contract; its SHA-256 is what the ledger knows it by. */
function codePlan(address: string, instance: Raw | null): Plan {
  const { wasm } = membersOf(membersOf(instance).executable);
  if (typeof wasm !== 'string') return { result: { value: '0x' } };
  return {
    key: { contract_code: { hash: wasm } },
    read: (entry: Raw | null) =>
      entry
        ? { value: `0x${textOf(recordOf(entry.contract_code).code, 'code')}` }
        : { missing: `the code of ${address} is archived` },
  };
}

function viewPlan(
  contract: string,
  name: string,
  args: readonly unknown[],
  read: (value: unknown) => string | number | bigint,
): Plan {
  if (!isContract(contract)) return missing(`${contract} is no token`);
  return {
    call: { contract, name, args },
    read: (answer: Simulated) =>
      'value' in answer ? { value: read(answer.value) } : { missing: answer.failure, isGone: true },
  };
}

/** Any function of a contract; what fails is the answer, because people choose what is called and with which values. */
function callPlan(contract: string, data: string): Plan {
  const failed = (failure: string): Plan => ({ result: { value: { failure } } });
  if (!isContract(contract)) return failed(`${contract} is no contract`);
  const call = { contract, ...(JSON.parse(data) as SorobanQuery) };
  try {
    encodeXdr('OperationBody', invocation(call));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return failed(error.message);
  }
  return {
    call,
    read: (answer: Simulated) => ({
      value: 'value' in answer ? { data: JSON.stringify(answer.value) } : answer,
    }),
  };
}

function numberIn(value: unknown): bigint {
  const { i128, u128, u64, i64 } = membersOf(value);
  return amountOf(i128 ?? u128 ?? u64 ?? i64);
}

/** The asset of an issuer that a contract stands for; undefined for other tokens. */
function classicOf(asset: string, instance: Raw | null, network: Network): unknown {
  if (asset === 'native') return 'native';
  const met = network.nameOf(asset);
  if (met !== undefined) return parseAsset(met);
  if (membersOf(instance).executable !== 'stellar_asset') return undefined;
  const { string: name } = membersOf(mapOf(pairsOf(instance?.storage).get('METADATA')).get('name'));
  return typeof name === 'string' ? parseAsset(name) : undefined;
}

function assetText(classic: unknown): string | undefined {
  const { credit_alphanum4: short, credit_alphanum12: long } = membersOf(classic);
  const { asset_code: code } = membersOf(short ?? long);
  return typeof code === 'string' ? code : undefined;
}

const isContract = (address: string) => address.startsWith('C');

const instanceKey = (contract: string): Key => ({
  contract_data: { contract, key: 'ledger_key_contract_instance', durability: 'persistent' },
});
