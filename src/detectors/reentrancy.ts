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
    const found = reentries(frames, contract.address, settings);
    const [first] = found;
    if (!first || (first.inner.isReverted && !settings.attempts)) return {};
    const name = ({ input }: Frame) =>
      functionNamed(input.slice(0, 10), contract.abi)?.name ?? input.slice(0, 10);
    const { inner, outer, position } = first;
    const lost = paidOut(frames, contract.address, first.outerPosition);
    const { isReverted } = inner;
    const more = found.length > 1 ? `, ${found.length} times in all` : '';
    const ending = isReverted ? '; it was reverted' : '';
    return {
      detections: [
        {
          frame: position,
          severity: isReverted ? 'LOW' : lost > 0n ? 'CRITICAL' : 'HIGH',
          magnitude: found.length,
          message: `${inner.from} entered ${name(inner)} of ${contract.name} again before ${name(outer)} had returned, in a transaction of ${transaction.from}${more}${ending}.`,
          fields: {
            sender: transaction.from,
            caller: inner.from,
            function: name(inner),
            outerFunction: name(outer),
            entries: found.length,
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

/** What succeeded comes first. */
function reentries(frames: readonly Frame[], address: string, settings: Config): Reentry[] {
  const allowed = new Set(settings.allowedFunctions.map((signature) => selectorOf(parseFunction(signature))));
  const callers = new Set(settings.allowedCallers.map((caller) => caller.toLowerCase()));
  /** For each frame the outermost unfinished call of the contract around it, or -1. */
  const around: number[] = [];
  const found: Reentry[] = [];
  for (const [position, frame] of frames.entries()) {
    const outerPosition = around[frame.parent] ?? -1;
    const isEntry =
      frame.to === address && (frame.type === 'CALL' || (settings.readOnly && frame.type === 'STATICCALL'));
    const outer = frames[outerPosition];
    // What it calls of itself is its own business.
    if (
      outer &&
      isEntry &&
      frame.from !== address &&
      !callers.has(frame.from) &&
      !allowed.has(frame.input.slice(0, 10))
    )
      found.push({ inner: frame, outer, position, outerPosition });
    around.push(outerPosition >= 0 ? outerPosition : isStart(frame, address) ? position : -1);
  }
  return found.sort((a, b) => Number(a.inner.isReverted) - Number(b.inner.isReverted));
}

/** A plain payment runs nothing that could be caught halfway. */
function isStart({ type, to, input }: Frame, address: string): boolean {
  return to === address && type === 'CALL' && input.length >= 10;
}

/** Native coins that the contract paid within a call of it beyond what it got. */
function paidOut(frames: readonly Frame[], address: string, start: number): bigint {
  const depth = frames[start]!.depth;
  let sum = 0n;
  for (const [offset, { type, from, to, value, depth: own, isReverted }] of frames.slice(start).entries()) {
    if (offset > 0 && own <= depth) break;
    if (isReverted || type === 'CALLCODE') continue;
    if (from === address) sum += value;
    if (to === address) sum -= value;
  }
  return sum;
}
