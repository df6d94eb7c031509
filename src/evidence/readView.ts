import type { AbiParameter } from 'abitype';
import { canonicalSignature, decodeResult, encodeCall, type FunctionItem } from '../codecs/evm/abi.ts';
import { functionWithResults } from '../codecs/evm/abiItems.ts';
import { toAbiValues } from '../codecs/evm/toAbiValue.ts';
import type { EvaluationContext, Interfaces, Reader } from '../model/detection.ts';
import type { Fault } from '../model/errors.ts';
import { dialectOf, type Family, hasEvmDialect } from '../model/family.ts';
import { namedDialects } from './dialects.ts';

/** A function that is read, whatever its family writes interfaces in. */
export type View = {
  readonly item: FunctionItem;
  /** Name in sentences and findings. */
  readonly title: string;
  /** Encodes the question from values as people write them; a RangeError names the one that does not fit. */
  encode(params: readonly unknown[]): string;
  decode(data: string): readonly unknown[];
};

/**
 * By its name where the contract has a Soroban spec or a Candid interface, by its signature on the EVM. A RangeError says what
 * would be right.
 */
export function viewOf(
  signature: string,
  abi: readonly unknown[],
  family: Family,
  find: (signature: string, abi: readonly unknown[]) => FunctionItem = functionWithResults,
): View {
  const dialect = dialectOf(family);
  if (dialect === 'evm') {
    const item = find(signature, abi);
    return {
      item,
      title: canonicalSignature(item),
      encode: (params) => encodeCall(item, toAbiValues(item.inputs, params)),
      decode: (data) => decodeResult(item, data),
    };
  }
  const readNamed = dialect && namedDialects[dialect].view;
  if (!readNamed)
    throw new RangeError('cannot be read: contracts of this chain have no functions without a transaction.');
  const { name, inputs, outputs, encode, decode } = readNamed(signature, abi);
  return {
    item: { type: 'function', name, inputs, outputs, stateMutability: 'view' },
    title: name,
    encode(params) {
      checkCount(inputs, params);
      return encode(params);
    },
    decode,
  };
}

function checkCount(inputs: readonly AbiParameter[], params: readonly unknown[]): void {
  if (params.length === inputs.length) return;
  const wanted = inputs.map(({ name }) => name).join(', ') || 'none';
  throw new RangeError(`There must be ${inputs.length} values (${wanted}), not ${params.length}.`);
}

/** The interface in which a function of the target is looked for: its own where contracts carry one. */
export function interfaceOf(
  target: string | undefined,
  { contract, chain, read }: Pick<EvaluationContext<unknown, unknown>, 'contract' | 'chain' | 'read'>,
): readonly unknown[] {
  const isOther = target !== undefined && target !== contract.address && !hasEvmDialect(chain.family);
  return isOther ? read.interface(target) : contract.abi;
}

type Asked = { readonly function: string; readonly params: readonly unknown[]; readonly target?: string };

/** Reasons why a function cannot be read with these values; pointers begin with `root`. */
export function viewFaults(
  { function: signature, params, target }: Asked,
  abi: readonly unknown[],
  family: Family,
  rest: Interfaces,
  root = '',
): Fault[] {
  const cached = target === undefined || hasEvmDialect(family) ? abi : rest.get(target);
  // An interface that no node answers for shows its faults when it is read.
  if (cached === undefined) return [];
  if (cached === null)
    return [
      {
        pointer: `${root}/target`,
        code: 'no-interface',
        message:
          'must be a contract that carries an interface: there is none there that names its functions.',
      },
    ];
  let pointer = `${root}/function`;
  try {
    const { encode } = viewOf(signature, cached, family);
    pointer = `${root}/params`;
    encode(params);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ pointer, code: 'not-fitting', message: error.message }];
  }
}

/** Result of the function, or the reason of its failure. */
export function tryView(
  read: Reader,
  to: string,
  { item, decode }: Pick<View, 'item' | 'decode'>,
  data: string,
  moment?: 'block' | 'parent',
): { results: readonly unknown[] } | { failure: string } {
  const answer = read.call(to, data, moment);
  if ('failure' in answer) return { failure: answer.failure };
  if (answer.data === '0x' && item.outputs.length > 0)
    return { failure: 'the answer is empty, so there is no such function or no contract' };
  try {
    return { results: decode(answer.data) };
  } catch {
    const shown = answer.data.length > 80 ? `${answer.data.slice(0, 80)}…` : answer.data;
    return { failure: `the answer ${shown} is not of the types that the function gives` };
  }
}

/** The same where a failure is a fault. */
export function readView(read: Reader, to: string, view: View, data: string): readonly unknown[] {
  const answer = tryView(read, to, view, data);
  if ('failure' in answer) throw new Error(`${view.title} of ${to} failed: ${answer.failure}`);
  return answer.results;
}
