import type { ScriptFault } from './compilerCode.ts';
import type { Limits } from './limits.ts';
import type { RunCode } from './realm.ts';

/** `names` and `values` (as JSON text, see `codec.ts`) are the parameters; without `values` sources are only compiled. */
export type Job = {
  names: readonly string[];
  values?: string;
  sources: readonly string[];
  /** Worker time that the job may use; a script that exceeds it is stopped and gets no result. */
  limitMs?: number;
};

/** Results in the order of the sources. The last message may come early: after a slice of time the worker serves the jobs that wait. */
export type WorkerMessage = { results: RawResult[]; isLast: boolean; usedMs: number };

/** `text` is a value in the form of `codec.ts`; plain values save the text of what filters commonly return. */
export type RawResult = boolean | undefined | { text: string } | { fault: ScriptFault };

export type WorkerSetup = {
  quickjs: string;
  /** Compiled once for all workers, so that a new one starts with optimised code. */
  wasmModule: object;
  realmCode: string;
  runCodes: readonly RunCode[];
  limits: Limits;
  /** Two cells: the index of the running source, or -1 while no tenant code runs; and the system's id of the thread. */
  progress: Int32Array;
  /** One cell: how many jobs wait for a worker. */
  waitingJobs: Int32Array;
};
