export const intentStates = [
  'WAITING',
  'SIGNED',
  'SUBMITTED',
  'CONFIRMED',
  'FAILED',
  'SKIPPED',
  'CANCELED',
] as const;
export type IntentState = (typeof intentStates)[number];

/**
 * The stage at which an alert may fire an action: its transaction is pending (or at once, if it never was), a block has
 * it, or that block is deep enough.
 */
export const fireAts = ['pending', 'head', 'confirmed'] as const;

/** The outcome that an action alert reports. */
export type ActionOutcome = 'submitted' | 'confirmed' | 'failed' | 'replaced' | 'waiting';

/** A parameter of a function with the value it is called with, as text; lists and structs as JSON. */
export type FilledParameter = { name: string; type: string; value: string };

/** A parameter that scripts may fill on a wallet that asks for approvals, within its bounds. */
export type OpenParameter = { name: string; values?: string[]; min?: string; max?: string; any?: boolean };

/** A contract, and functions of it, that a wallet may call; null for every function. */
export type AllowedCall = { contractId: number | null; address: string; functions: readonly string[] | null };

/** A call as it was decided on before it was signed. */
export type IntendedCall = { to: string; data: string; parameters: FilledParameter[]; gasLimit: string };
