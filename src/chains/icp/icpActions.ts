import { readAccount } from '../../codecs/icp/accounts.ts';
import { candidOf, resolveType } from '../../codecs/icp/candidOf.ts';
import { readCandidValue } from '../../codecs/icp/candidValue.ts';
import type { CandidType } from '../../codecs/icp/parseCandid.ts';
import type { FamilyActions, FunctionItem } from '../familyActions.ts';

type Input = FunctionItem['inputs'][number];

/** Calls that need no interface: of every ledger, and of the network for those who control a canister. */
const builtIns: Readonly<Record<string, readonly Input[] | undefined>> = {
  icrc1_transfer: [
    { name: 'to', type: 'account' },
    { name: 'amount', type: 'nat' },
  ],
  stop_canister: [],
  start_canister: [],
};

/** A call as `encode` writes it and the transactor reads it, with values as `readCandidValue` gives them. */
export type IcpCall = {
  readonly method: string;
  readonly types: readonly CandidType[];
  readonly values: readonly unknown[];
};

/** True if the network itself runs the call, on the contract. */
export const isManagement = (method: string) => method === 'stop_canister' || method === 'start_canister';

export const icpActions: FamilyActions = {
  costUnit: 'e8s',
  costName: 'payments and their fees',
  priceUnit: 'e8s',
  defaultLimits: () => ({ maxGasPrice: null, maxHourlySpend: '1' }),
  parseFunction(signature, abi) {
    const name = signature.replace(/\(.*/s, '').trim();
    if (!/^[A-Za-z_]\w{0,99}$/.test(name))
      throw new RangeError(
        `must be the name of a method of the Candid interface, or ${Object.keys(builtIns).join(', ')}`,
      );
    const builtIn = builtIns[name];
    if (builtIn) return toItem(name, builtIn);
    const candid = candidOf(abi);
    const method = candid?.methods.get(name);
    if (!candid || !method)
      throw new RangeError(
        candid
          ? `names no method of the Candid interface; it has ${[...candid.methods.keys()].join(', ')}, and everywhere there are ${Object.keys(builtIns).join(', ')}`
          : `needs the Candid interface in the contract's abi, as [{ "candid": "service : …" }]; without it there are ${Object.keys(builtIns).join(', ')}`,
      );
    if (method.isQuery) throw new RangeError('is a query, which changes nothing');
    return toItem(
      name,
      method.args.map(([argName, type]): Input => {
        const whole = resolveType(type, candid.types);
        return {
          name: argName,
          type: typeof whole === 'string' ? whole : 'json',
          internalType: `candid ${JSON.stringify(whole)}`,
        };
      }),
    );
  },
  functionKey: ({ name }) => name,
  readValue(input, value, label = input.name ?? 'value') {
    if (input.type === 'account') {
      if (typeof value !== 'string' || !readAccount(value))
        throw new RangeError(`${label} must be a principal, or an account as ICRC-1 writes it.`);
      return value;
    }
    const read = input.type === 'json' && typeof value === 'string' ? readJson(value, label) : value;
    return readCandidValue(typeOf(input), read, label);
  },
  encode(item, values, contract) {
    const call: IcpCall = { method: item.name, types: item.inputs.map(typeOf), values };
    return { to: contract, data: JSON.stringify(call) };
  },
  explain: ({ reason }) => reason,
  termsFault({ price, limit, tip }) {
    const reason = 'must be left out: on the Internet Computer the canister that is called pays.';
    if (tip !== null) return { member: 'tip', reason };
    if (limit !== null) return { member: 'limit', reason };
    return /^\d/.test(price) ? { member: 'price', reason } : undefined;
  },
};

function toItem(name: string, inputs: readonly Input[]): FunctionItem {
  return { type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' };
}

function typeOf({ type, internalType = '' }: Input): CandidType {
  const written = /^candid (.*)$/s.exec(internalType)?.[1];
  return written === undefined ? type : (JSON.parse(written) as CandidType);
}

/** A text is one of Candid where it is no JSON. */
function readJson(text: string, label: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`${label} must be JSON, such as [1, 2] or {"a": 1}.`);
  }
}
