import { canonicalSignature, decodeResult, encodeCall, type FunctionItem } from '../../codecs/evm/abi.ts';
import type { Reader } from '../../model/detection.ts';
import { tryView } from '../readView.ts';

type Moment = 'block' | 'parent';

/** The results of a view function; throws with the reason when it fails. */
export function readCall(
  read: Reader,
  to: string,
  item: FunctionItem,
  values: readonly unknown[] = [],
  moment?: Moment,
): readonly unknown[] {
  const answer = tryCall(read, to, item, values, moment);
  if ('failure' in answer) throw new Error(`${canonicalSignature(item)} of ${to} failed: ${answer.failure}`);
  return answer.results;
}

/** The one result of a view function that returns a large number. */
export function readNumber(...call: Parameters<typeof readCall>): bigint {
  return toNumber(readCall(...call));
}

export function toNumber([value]: readonly unknown[]): bigint {
  if (typeof value !== 'bigint') throw new Error(`The result ${String(value)} is no large number.`);
  return value;
}

/** The same where a failure is expected. */
export function tryCall(
  read: Reader,
  to: string,
  item: FunctionItem,
  values: readonly unknown[] = [],
  moment?: Moment,
): { results: readonly unknown[] } | { failure: string } {
  const decode = (data: string) => decodeResult(item, data);
  return tryView(read, to, { item, decode }, encodeCall(item, values), moment);
}
