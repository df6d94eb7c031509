import { decodeResult, encodeCall, parseFunction } from '../../codecs/evm/abi.ts';
import { proxySlots } from '../../codecs/evm/locateCode.ts';
import { cutText } from '../../lib/cutText.ts';
import { keysOf } from '../../lib/keysOf.ts';
import type { Header } from '../../model/block.ts';
import type { ContractKind, ContractTraits, Inspection, ProxyKind } from '../../model/contractKinds.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import { toChecksumAddress } from './evmRules.ts';

const zero = `0x${'0'.repeat(40)}`;
const word = (text: string) => text.padEnd(66, '0');

/** Calls by which kinds are recognised, with the values that they are called with. */
const calls = {
  // No contract has this function: one that answers it answers everything, and its answers mean nothing.
  nonsense: ['vigilAsksForNothing()(uint256)'],
  totalSupply: ['totalSupply()(uint256)'],
  decimals: ['decimals()(uint256)'],
  symbol: ['symbol()(string)'],
  name: ['name()(string)'],
  balance: ['balanceOf(address)(uint256)', zero],
  allowance: ['allowance(address,address)(uint256)', zero, zero],
  isErc165: ['supportsInterface(bytes4)(bool)', '0x01ffc9a7'],
  isEverything: ['supportsInterface(bytes4)(bool)', '0xffffffff'],
  isErc721: ['supportsInterface(bytes4)(bool)', '0x80ac58cd'],
  isErc1155: ['supportsInterface(bytes4)(bool)', '0xd9b67a26'],
  isAccessControl: ['supportsInterface(bytes4)(bool)', '0x7965db0b'],
  roleAdmin: ['getRoleAdmin(bytes32)(bytes32)', word('0x')],
  hasRole: ['hasRole(bytes32,address)(bool)', word('0x'), zero],
  asset: ['asset()(address)'],
  totalAssets: ['totalAssets()(uint256)'],
  shares: ['convertToShares(uint256)(uint256)', 1n],
  owner: ['owner()(address)'],
  paused: ['paused()(bool)'],
  owners: ['getOwners()(address[])'],
  threshold: ['getThreshold()(uint256)'],
  minDelay: ['getMinDelay()(uint256)'],
  delay: ['delay()(uint256)'],
  grace: ['GRACE_PERIOD()(uint256)'],
  votingDelay: ['votingDelay()(uint256)'],
  votingPeriod: ['votingPeriod()(uint256)'],
  round: ['latestRoundData()(uint80,int256,uint256,uint256,uint80)'],
  description: ['description()(string)'],
  token0: ['token0()(address)'],
  token1: ['token1()(address)'],
  coin0: ['coins(uint256)(address)', 0n],
  coin1: ['coins(uint256)(address)', 1n],
  virtualPrice: ['get_virtual_price()(uint256)'],
  master: ['masterCopy()(address)'],
} as const satisfies Record<string, readonly [string, ...unknown[]]>;

type Name = keyof typeof calls;

const questions = Object.entries(calls).map(([name, [signature, ...values]]) => {
  const item = parseFunction(signature);
  return { name, item, data: encodeCall(item, values) };
});

/** Recognises what stands at an address, by what its code and its functions answer after one block. */
export async function inspectContract(
  { readState, findImplementation }: Pick<ChainClient, 'readState' | 'findImplementation'>,
  at: Header,
  address: string,
): Promise<Inspection> {
  const storage = (slot: string): StateRead => ({ type: 'storage', address, key: slot });
  const [code, direct, beacon, proxiable, ...answers] = await readState(at, [
    { type: 'code', address },
    storage(proxySlots.implementation),
    storage(proxySlots.beacon),
    storage(proxySlots.proxiable),
    ...questions.map(({ data }): StateRead => ({ type: 'call', to: address, data })),
  ]);
  const program = textOf(code);
  if (program === '0x')
    return { hasCode: false, kinds: [], proxyKind: null, implementation: null, facts: {} };
  const results = new Map<Name, readonly unknown[]>();
  for (const [index, { name, item }] of questions.entries()) {
    const values = resultsOf(item, answers[index]);
    if (values) results.set(name as Name, values);
  }
  if (results.has('nonsense')) results.clear();
  const implementation = await findImplementation(at, address);
  const [behind] = implementation
    ? await readState(at, [{ type: 'code', address: implementation }])
    : [undefined];
  const pullsTokens = [program, behind ? textOf(behind) : ''].some((text) => pullsByAllowance.test(text));
  const slots = { direct: isSet(direct), beacon: isSet(beacon), proxiable: isSet(proxiable) };
  const proxyKind = implementation === null ? null : proxyKindOf(program, slots, results);
  return {
    hasCode: true,
    kinds: [...(proxyKind ? (['PROXY'] as const) : []), ...kindsOf(results, pullsTokens)],
    proxyKind,
    implementation,
    facts: traitsOf(results, at),
  };
}

type Results = ReadonlyMap<Name, readonly unknown[]>;

function proxyKindOf(
  program: string,
  slots: { direct: boolean; beacon: boolean; proxiable: boolean },
  results: Results,
): ProxyKind {
  if (program.startsWith('0x363d3d373d3d3d363d73')) return 'MINIMAL';
  if (slots.direct) return 'EIP1967';
  if (slots.beacon) return 'BEACON';
  if (slots.proxiable) return 'EIP1822';
  return results.has('master') ? 'SAFE' : 'OTHER';
}

/** The selector of transferFrom as code passes it on: compilers push it alone or at the front of a word. */
const pullsByAllowance = /6323b872dd|7f23b872dd0{56}/;

function kindsOf(results: Results, pullsTokens: boolean): ContractKind[] {
  const has = (...names: Name[]) => names.every((name) => results.has(name));
  const says = (name: Name) => results.get(name)?.[0] === true;
  const isErc165 = says('isErc165') && !says('isEverything');
  const isErc721 = isErc165 && says('isErc721');
  const isErc1155 = isErc165 && says('isErc1155');
  const isErc20 = !isErc721 && !isErc1155 && has('totalSupply', 'balance', 'allowance');
  const isVault = isErc20 && has('asset', 'totalAssets', 'shares');
  const isPair = has('token0', 'token1') || has('coin0', 'coin1', 'virtualPrice');
  const answers: Record<ContractKind, boolean> = {
    PROXY: false,
    // Of other families.
    TOKEN: false,
    UPGRADABLE: false,
    ERC20: isErc20,
    ERC721: isErc721,
    ERC1155: isErc1155,
    ERC4626: isVault,
    OWNABLE: has('owner'),
    ACCESS_CONTROL: (isErc165 && says('isAccessControl')) || has('roleAdmin', 'hasRole'),
    PAUSABLE: has('paused'),
    SAFE: has('owners', 'threshold'),
    TIMELOCK: has('minDelay') || has('delay', 'grace'),
    GOVERNOR: has('votingDelay', 'votingPeriod'),
    PRICE_FEED: has('round', 'decimals'),
    POOL: isPair,
    SPENDER: pullsTokens && !isPair && (!isErc20 || isVault) && !isErc721 && !isErc1155,
  };
  return keysOf(answers).filter((kind) => answers[kind]);
}

function traitsOf(results: Results, at: Header): ContractTraits {
  const first = (name: Name) => results.get(name)?.[0];
  const text = (name: Name) => {
    const value = first(name);
    return typeof value === 'string' && value !== '' ? cutText(value, 100) : undefined;
  };
  const address = (name: Name) => {
    const value = first(name);
    return typeof value === 'string' && value !== zero ? toChecksumAddress(value.slice(2)) : undefined;
  };
  const number = (name: Name) => {
    const value = first(name);
    return typeof value === 'bigint' && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
  };
  const [t0, t1] = [address('token0') ?? address('coin0'), address('token1') ?? address('coin1')];
  const decimals = number('decimals');
  const owners = first('owners');
  const supply = first('totalSupply');
  const updatedAt = results.get('round')?.[3];
  return dropUndefined({
    name: text('name'),
    symbol: text('symbol'),
    decimals: decimals !== undefined && decimals <= 77 ? decimals : undefined,
    totalSupply: typeof supply === 'bigint' ? supply.toString() : undefined,
    owner: address('owner'),
    paused: typeof first('paused') === 'boolean' ? first('paused') === true : undefined,
    asset: address('asset'),
    tokens: t0 && t1 ? [t0, t1] : undefined,
    owners: Array.isArray(owners)
      ? owners.slice(0, 100).map((owner) => toChecksumAddress(String(owner).slice(2)))
      : undefined,
    threshold: number('threshold'),
    minDelay: number('minDelay') ?? (results.has('grace') ? number('delay') : undefined),
    description: text('description'),
    answerAge:
      typeof updatedAt === 'bigint' && updatedAt > 0n
        ? Math.max(0, Math.floor(at.timestamp / 1000) - Number(updatedAt))
        : undefined,
  });
}

function dropUndefined<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** Results of a call, if they fit the function: a fallback that returns something else is no answer. */
function resultsOf(item: ReturnType<typeof parseFunction>, answer: StateResult | undefined) {
  if (!answer || 'missing' in answer) return undefined;
  const { value } = answer;
  if (typeof value !== 'object' || !('data' in value) || value.data.length < 66) return undefined;
  // The decoder ignores what stands above an address.
  if (item.outputs[0]?.type === 'address' && !value.data.startsWith(`0x${'0'.repeat(24)}`)) return undefined;
  try {
    return decodeResult(item, value.data);
  } catch {
    return undefined;
  }
}

function textOf(answer: StateResult | undefined): string {
  if (!answer || 'missing' in answer)
    throw new Error(`The node does not answer: ${answer?.missing ?? 'no answer'}`);
  return typeof answer.value === 'string' ? answer.value : '0x';
}

function isSet(answer: StateResult | undefined): boolean {
  return /[1-9a-f]/.test(textOf(answer).slice(2));
}
