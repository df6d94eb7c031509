import { toScVal } from '../../codecs/stellar/scval.ts';
import { isSpecEntry, type SpecType, specOf } from '../../codecs/stellar/spec.ts';
import { decodeStrkey, strkeyVersion } from '../../codecs/stellar/strkey.ts';
import { parseDecimal } from '../../lib/decimal.ts';
import { isRecord } from '../../lib/isRecord.ts';
import type { FamilyActions, FunctionItem } from '../familyActions.ts';
import { parseAsset } from './network.ts';
import { invocation } from './simulate.ts';

type Input = FunctionItem['inputs'][number];
type Values = Readonly<Record<string, string>>;

/** Left as it is, among the options of an account. */
const keep = 'keep';
const flagBits = { required: 1, revocable: 2, immutable: 4, clawback: 8 } as const;
/** Bits of a trustline that are set and cleared. */
const authorizations: Readonly<Record<string, readonly [number, number] | undefined>> = {
  full: [1, 2],
  maintain: [2, 1],
  none: [0, 3],
};

type BuiltIn = { readonly inputs: readonly Input[]; make(values: Values): Readonly<Record<string, unknown>> };
const account = (name: string): Input => ({ name, type: 'account' });
const asset: Input = { name: 'asset', type: 'asset' };
const stroops: Input = { name: 'stroops', type: 'amount' };
const weight = (name: string): Input => ({ name, type: 'weight' });
const numberOrNull = (text: string | undefined) =>
  text === undefined || text === keep ? null : Number(text);

/** Operations of the chain itself, which need no interface. */
const builtIns: Readonly<Record<string, BuiltIn | undefined>> = {
  payment: {
    inputs: [{ name: 'to', type: 'recipient' }, asset, stroops],
    make: (values) => ({
      payment: { destination: values.to, asset: parseAsset(values.asset ?? ''), amount: values.stroops },
    }),
  },
  set_trust_line_flags: {
    inputs: [account('trustor'), asset, { name: 'authorization', type: 'authorization' }],
    make: ({ trustor, asset: name = '', authorization = '' }) => {
      const [set_flags, clear_flags] = authorizations[authorization] ?? [0, 0];
      return { set_trust_line_flags: { trustor, asset: parseAsset(name), clear_flags, set_flags } };
    },
  },
  clawback: {
    inputs: [account('from'), asset, stroops],
    make: (values) => ({
      clawback: { asset: parseAsset(values.asset ?? ''), from: values.from, amount: values.stroops },
    }),
  },
  set_options: {
    inputs: [
      { name: 'setFlags', type: 'flags' },
      { name: 'clearFlags', type: 'flags' },
      ...['masterWeight', 'lowThreshold', 'medThreshold', 'highThreshold'].map(weight),
      { name: 'homeDomain', type: 'domain' },
      { name: 'signer', type: 'signer' },
      weight('signerWeight'),
    ],
    make: (values) => ({
      set_options: {
        inflation_dest: null,
        clear_flags: flagsOf(values.clearFlags ?? keep),
        set_flags: flagsOf(values.setFlags ?? keep),
        master_weight: numberOrNull(values.masterWeight),
        low_threshold: numberOrNull(values.lowThreshold),
        med_threshold: numberOrNull(values.medThreshold),
        high_threshold: numberOrNull(values.highThreshold),
        home_domain: values.homeDomain === keep ? null : values.homeDomain,
        signer: values.signer === keep ? null : { key: values.signer, weight: Number(values.signerWeight) },
      },
    }),
  },
};

function flagsOf(text: string): number | null {
  if (text === keep) return null;
  const names = Object.entries(flagBits);
  return text
    .split(/[\s,]+/)
    .reduce((bits, word) => bits | (names.find(([name]) => name === word)?.[1] ?? 0), 0);
}

/** A call is the body of an operation, in its JSON form; `{ address: 'wallet' }` stands for the wallet that signs. */
export const stellarActions: FamilyActions = {
  costUnit: 'stroop',
  costName: 'payments and fees',
  priceUnit: 'stroops',
  defaultLimits: () => ({ maxGasPrice: '1000000', maxHourlySpend: '100' }),
  parseFunction(signature, abi) {
    const [, name, parameters] = /^\s*([A-Za-z_]\w{0,31})\s*(?:\((.*)\))?\s*$/s.exec(signature) ?? [];
    const everywhere = Object.keys(builtIns).join(', ');
    if (name === undefined)
      throw new RangeError(
        `must be the name of a function of the contract, with its types where there is no spec, such as pause(address caller), or one of ${everywhere}`,
      );
    const spec = specOf(abi);
    const cached = spec?.functions.get(name);
    if (cached)
      return toItem(
        name,
        cached.inputs.map((input) => toInput(input.name, input.type, abi)),
        true,
      );
    const builtIn = builtIns[name];
    if (builtIn) return toItem(name, builtIn.inputs, false);
    if (spec)
      throw new RangeError(
        `names no function of the spec; it has ${[...spec.functions.keys()].join(', ')}, and everywhere there are ${everywhere}`,
      );
    return toItem(name, readParameters(parameters ?? ''), true);
  },
  functionKey: ({ name }) => name,
  readValue: (input, value, label = input.name ?? 'value') => readValue(input, value, label),
  encode(item, values, contract) {
    if (!('isCall' in item && item.isCall === true)) {
      const named = Object.fromEntries(
        item.inputs.map(({ name = '' }, index) => [name, String(values[index])]),
      );
      const body = builtIns[item.name]?.make(named);
      const { payment } = body ?? {};
      const to = isRecord(payment) ? String(payment.destination) : contract;
      return { to, data: JSON.stringify(body) };
    }
    const args = item.inputs.map((input, index) => toArgument(input, values[index], input.name ?? 'value'));
    return { to: contract, data: JSON.stringify(invocation({ contract, name: item.name, args })) };
  },
  explain: ({ reason }) => reason,
  termsFault({ price, limit, tip }) {
    if (limit !== null)
      return {
        member: 'limit',
        reason: 'must be left out: on Stellar the simulation says what a call takes.',
      };
    if (tip !== null)
      return {
        member: 'tip',
        reason: 'must be left out: on Stellar the fee is one price for each operation.',
      };
    const isNamed = ['slow', 'market', 'fast', 'fastest'].includes(price);
    return isNamed || parseDecimal(price).scale === 0
      ? undefined
      : { member: 'price', reason: 'must be a whole number of stroops for an operation.' };
  },
};

function toItem(name: string, inputs: readonly Input[], isCall: boolean): FunctionItem {
  const item: FunctionItem = { type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' };
  return isCall ? Object.assign(item, { isCall }) : item;
}

/** Types of one's own go along, so that the input can be stored by itself. */
function toInput(name: string, type: SpecType, abi: readonly unknown[]): Input {
  const isOwn = JSON.stringify(type).includes('"udt"');
  const entries = isOwn
    ? abi.filter(
        (item) =>
          isSpecEntry(item) && isRecord(item) && Object.keys(item).some((key) => key.startsWith('udt')),
      )
    : [];
  return {
    name,
    type: typeof type === 'string' ? type : 'json',
    internalType: `soroban ${JSON.stringify({ type, entries })}`,
  };
}

const plainTypes = /^(?:[ui](?:32|64|128|256)|bool|address|symbol|string|bytes|timepoint|duration)$/;

/** `address caller, i128 amount`. */
function readParameters(text: string): Input[] {
  if (text.trim() === '') return [];
  return text.split(',').map((part, index): Input => {
    const [type = '', name = String(index), ...rest] = part.trim().split(/\s+/);
    if (!plainTypes.test(type) || rest.length > 0)
      throw new RangeError(
        `has "${part.trim()}", but without a spec in the contract's abi a parameter is a plain type with a name, such as i128 amount, address caller, symbol reason, bytes data`,
      );
    return toInput(name, type, []);
  });
}

function toArgument({ internalType = '', type }: Input, value: unknown, label: string): unknown {
  const { type: scType, entries } = JSON.parse(internalType.replace(/^soroban /, '')) as {
    type: SpecType;
    entries: readonly unknown[];
  };
  const read = type === 'json' && typeof value === 'string' ? readJson(value, label) : value;
  return toScVal(scType, read, specOf(entries)?.types ?? new Map(), label);
}

function readJson(text: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`${label} must be JSON, such as [1, 2] or {"a": 1}.`);
  }
}

function readValue(input: Input, value: unknown, label: string): unknown {
  if (input.internalType?.startsWith('soroban ')) {
    // Made once to see that it can be.
    toArgument(input, value, label);
    return value;
  }
  const text = String(value);
  const fault = faultOf(input.type, text);
  if (fault !== undefined) throw new RangeError(`${label} must be ${fault}.`);
  return text;
}

const maxStroops = 2n ** 63n - 1n;

/** Describes a right value; undefined if the text is right. */
function faultOf(type: string, text: string): string | undefined {
  const version = decodeStrkey(text)?.version;
  switch (type) {
    case 'recipient':
      return version === strkeyVersion.account || version === strkeyVersion.muxed
        ? undefined
        : 'the address of an account (G… or M…)';
    case 'account':
      return version === strkeyVersion.account ? undefined : 'the address of an account (G…)';
    case 'signer':
      return text === keep || version === strkeyVersion.account
        ? undefined
        : 'the address of a signer (G…), or keep';
    case 'asset': {
      const [, issuer] = text.split(':');
      const isRight =
        parseAsset(text) !== undefined && (issuer === undefined || decodeStrkey(issuer) !== undefined);
      return isRight ? undefined : 'native, or an asset as CODE:ISSUER';
    }
    case 'amount':
      return /^\d{1,19}$/.test(text) && BigInt(text) > 0n && BigInt(text) <= maxStroops
        ? undefined
        : 'a whole number of stroops, of which 10,000,000 are one XLM or one of any asset';
    case 'authorization':
      return authorizations[text] === undefined
        ? `one of ${Object.keys(authorizations).join(', ')}`
        : undefined;
    case 'flags':
      return text === keep || text.split(/[\s,]+/).every((word) => Object.hasOwn(flagBits, word))
        ? undefined
        : `keep, or some of ${Object.keys(flagBits).join(', ')}`;
    case 'weight':
      return text === keep || (/^\d{1,3}$/.test(text) && Number(text) <= 255)
        ? undefined
        : 'from 0 to 255, or keep';
    case 'domain':
      return text.length <= 32 && /^[\x21-\x7e]*$/.test(text)
        ? undefined
        : 'a domain of up to 32 characters, or keep';
    default:
      return `of a known type, and not ${type}`;
  }
}
