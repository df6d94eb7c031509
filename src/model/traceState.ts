/**
 * `auto`: traces are requested where a node has them. `off`: never. `required`: always, and a chain without them counts
 * as degraded.
 */
export const traceModes = ['auto', 'off', 'required'] as const;
export type TraceMode = (typeof traceModes)[number];

/** The variable that sets it for a chain. */
export function traceSetting(chainUid: string): string {
  return `VIGIL_CHAIN_${chainUid.toUpperCase()}_TRACES`;
}

/** `idle`: nothing that is watched needs them. `late`: blocks wait for theirs. `unavailable`: no node traces. */
export const traceStates = ['off', 'idle', 'ok', 'late', 'unavailable'] as const;

/** The member of `meta` that says by how many milliseconds traces were late for what was found in them. */
export const lateEvidence = 'tracesLateMs';

/** Coverage of the inner calls of a chain. */
export type TraceState = {
  mode: TraceMode;
  state: (typeof traceStates)[number];
  /** By which calls nodes trace. */
  kinds: string[];
  /** The newest block whose inner calls were evaluated. */
  processed: number | null;
  /** Blocks whose inner calls are yet to be evaluated. */
  waiting: number;
  reason: string | null;
};

/**
 * Reasons for unknown inner calls of a block: no node traces, none has them now, all sent wrong ones, or they are too
 * large.
 */
const untracedReasons = ['unsupported', 'unanswered', 'wrong', 'too large'] as const;

export class NotTraced extends Error {
  override readonly name = 'NotTraced';
  readonly reason: (typeof untracedReasons)[number];

  constructor(reason: NotTraced['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
