import { canonicalSignature, type FunctionItem, tryDecodeCall } from '../../../codecs/evm/abi.ts';
import { functionNamed } from '../../../codecs/evm/functionNamed.ts';
import { cutText } from '../../../lib/cutText.ts';
import { harmless } from '../../../lib/harmless.ts';
import { toJsonValue } from '../../../lib/json.ts';
import type { Frame } from '../../../model/block.ts';
import { explainRevert } from '../explainRevert.ts';
import { revertReason } from '../toRevert.ts';

type Argument = { name: string; type: string; value: string };

export type DescribedFrame = {
  /** Null for a payment without data, and for a creation. */
  selector: string | null;
  /** `withdraw(uint256)`, where the ABI has it or it is a common one. */
  function: string | null;
  arguments: Argument[];
  /** Null unless the frame itself failed. */
  reason: string | null;
};

/** Characters of one value; what is longer is cut, as anyone can pass as much as gas allows. */
const maxValueLength = 300;
/** Characters of an input whose arguments are decoded. */
const maxInputLength = 65_536;

/** The call of a frame and the reason of its failure, in the words of the ABI of the running code. */
export function describeFrame(frame: Frame, abi: readonly unknown[]): DescribedFrame {
  const { input, inputLength = input.length, error, output } = frame;
  const hasSelector = /CALL/.test(frame.type) && input.length >= 10;
  const selector = hasSelector ? input.slice(0, 10) : null;
  const isWhole = inputLength === input.length && inputLength <= maxInputLength;
  const item = selector === null ? undefined : functionNamed(selector, abi);
  const values = item && isWhole ? tryDecodeCall(item, input) : undefined;
  const isKnown = item && (values ?? !isWhole);
  return {
    selector,
    function: isKnown ? harmless(canonicalSignature(item), maxValueLength) : null,
    arguments: item && values ? toArguments(item, Object.values(values)) : [],
    reason: error === undefined ? null : reasonOf(error, output ?? '0x', abi),
  };
}

function toArguments({ inputs }: FunctionItem, values: readonly unknown[]): Argument[] {
  return inputs.map(({ name, type }, index) => ({
    name: harmless(name || String(index), 100),
    type: harmless(type, 100),
    value: show(values[index]),
  }));
}

/** Whole as far as it fits; text that someone chose is made harmless. */
function show(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  const text = typeof value === 'string' ? value : JSON.stringify(toJsonValue(value));
  if (!text.startsWith('0x')) return harmless(text, maxValueLength);
  return text.length > maxValueLength ? `${cutText(text, maxValueLength - 1)}…` : text;
}

function reasonOf(error: string, data: string, abi: readonly unknown[]): string {
  return harmless(explainRevert({ reason: revertReason(data, error), data }, abi), 1000);
}
