import { type Static, Type } from 'typebox';
import { parseFunction, selectorOf } from '../chains/evm/abi/abi.ts';
import { evmFormat } from '../chains/evm/abi/evmFormat.ts';
import { functionNamed } from '../chains/evm/evidence/describeCall.ts';
import { Addresses, Configuration, Flag } from '../evidence/parameters.ts';
import type { Frame } from '../model/block.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  allowedCallers: Addresses('Contracts that may enter it again, such as your own modules.'),
  allowedFunctions: Type.Array(Type.String({ format: evmFormat.functionSignature }), {
    description: 'Functions that may be entered again, such as the one by which a flash loan is paid back.',
    default: [],
    maxItems: 100,
    uniqueItems: true,
  }),
  readOnly: Flag('Report also functions that only read, which can give false values in between.', false),
  attempts: Flag('Report also what was reverted, as a guard against it does.', true),
});
type Config = Static<typeof config>;

export const reentrancy = defineDetector<Config, never>({
  name: 'reentrancy',
  title: 'Reentrancy',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['evm'],
  severity: 'AUTO',
  description:
    'Within a transaction the contract is entered again by another contract before an earlier call of it has returned. CRITICAL when coins leave it by then, HIGH otherwise, LOW when it was reverted. Needs nodes that trace.',
  faq: 'What about contracts that are entered again by design? Name the functions or the callers: a pool that lends is entered again when its loan is paid back.',
  nextStep:
    'Open the trace of the transaction and compare what left the contract with what was due. Pause it if more did.',
  config,
  pending: true,
  fields: ['sender', 'caller', 'function', 'outerFunction', 'entries', 'depth', 'isReverted', 'lost'],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, { config: settings, contract }) {
    if (observation.type !== 'trace') return {};
    const { frames, transaction } = observation;
    const { first, count } = reentries(frames, contract.address, settings);
    if (!first || (first.inner.isReverted && !settings.attempts)) return {};
    const name = ({ input }: Frame) =>
      functionNamed(input.slice(0, 10), contract.abi)?.name ?? input.slice(0, 10);
    const { inner, outer, position } = first;
    const lost = paidOut(frames, contract.address, first.outerPosition);
    const { isReverted } = inner;
    const more = count > 1 ? `, ${count} times in all` : '';
    const ending = isReverted ? '; it was reverted' : '';
    return {
      detections: [
        {
          frame: position,
          severity: isReverted ? 'LOW' : lost > 0n ? 'CRITICAL' : 'HIGH',
          magnitude: count,
          message: `${inner.from} entered ${name(inner)} of ${contract.name} again before ${name(outer)} had returned, in a transaction of ${transaction.from}${more}${ending}.`,
          fields: {
            sender: transaction.from,
            caller: inner.from,
            function: name(inner),
            outerFunction: name(outer),
            entries: count,
            depth: inner.depth,
            isReverted,
            lost,
          },
        },
      ],
    };
  },
});

type Reentry = { inner: Frame; outer: Frame; position: number; outerPosition: number };

/** How often it happens, and the first time that succeeded, or the first at all. */
function reentries(
  frames: readonly Frame[],
  address: string,
  settings: Config,
): { first: Reentry | undefined; count: number } {
  const allowed = new Set(settings.allowedFunctions.map((signature) => selectorOf(parseFunction(signature))));
  const callers = new Set(settings.allowedCallers.map((caller) => caller.toLowerCase()));
  /** For each frame the outermost unfinished call of the contract around it, or -1. */
  const around = new Int32Array(frames.length);
  let first: Reentry | undefined;
  let count = 0;
  // A transaction may have a hundred thousand frames, for each of which this is done.
  for (let position = 0; position < frames.length; position++) {
    const frame = frames[position]!;
    const outerPosition = frame.parent < 0 ? -1 : around[frame.parent]!;
    const isOpen = outerPosition >= 0;
    around[position] = isOpen ? outerPosition : isStart(frame, address) ? position : -1;
    if (!isOpen || frame.to !== address || !isEntry(frame.type, settings)) continue;
    // What it calls of itself is its own business.
    if (frame.from === address || callers.has(frame.from)) continue;
    if (allowed.size > 0 && allowed.has(frame.input.slice(0, 10))) continue;
    count++;
    if (!first || (first.inner.isReverted && !frame.isReverted))
      first = { inner: frame, outer: frames[outerPosition]!, position, outerPosition };
  }
  return { first, count };
}

function isEntry(type: Frame['type'], { readOnly }: Config): boolean {
  return type === 'CALL' || (readOnly && type === 'STATICCALL');
}

/** A plain payment runs nothing that could be caught halfway. */
function isStart({ type, to, input }: Frame, address: string): boolean {
  return to === address && type === 'CALL' && input.length >= 10;
}

/** Native coins that the contract paid within a call of it beyond what it got. */
function paidOut(frames: readonly Frame[], address: string, start: number): bigint {
  const { depth } = frames[start]!;
  let sum = 0n;
  for (let position = start; position < frames.length; position++) {
    const { type, from, to, value, depth: own, isReverted } = frames[position]!;
    if (position > start && own <= depth) break;
    if (isReverted || type === 'CALLCODE') continue;
    if (from === address) sum += value;
    if (to === address) sum -= value;
  }
  return sum;
}
