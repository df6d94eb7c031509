import { createFairQueue } from '../lib/createFairQueue.ts';
import { decodeValue, encodeValues } from './codec.ts';
import type { ScriptFault } from './compile.ts';
import { createLane } from './lane.ts';
import { createLoopMemory } from './loopMemory.ts';
import type { Answer, Job } from './worker.ts';

export type ScriptResult = { value: unknown } | { fault: ScriptFault };

/** Who pays for a script: the id of a tenant, or 0 for the platform. Workers are shared fairly between owners. */
export type ScriptOwner = number;
export const platformOwner: ScriptOwner = 0;

/** Worker time that several runs may use together; each run takes what it used from it. */
type Allowance = { leftMs: number };

export type Sandbox = {
  /** Compiles without running. Source is a JavaScript expression, or a body with `return`. */
  check(owner: ScriptOwner, source: string): Promise<ScriptFault | undefined>;
  /** Loads the values once, then runs every script over them, each in a clean state: one script cannot see or change what another did. */
  run(
    owner: ScriptOwner,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
  ): Promise<ScriptResult[]>;
  /** The same within an allowance: undefined is a script that was not reached or did not end while the allowance lasted. */
  runWithin(
    allowance: Allowance,
    owner: ScriptOwner,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
  ): Promise<(ScriptResult | undefined)[]>;
  close(): Promise<void>;
};

type Options = {
  workers?: number;
  /** Workers that one owner may have at once; fewer than `workers` keeps one free for the next owner. */
  workersPerOwner?: number;
};

/** Sources of one slice: about as many filters as it has time for, because the rest would be sent again. */
const mostAtOnce = 2500;

export function createSandbox({ workers = 1, workersPerOwner = workers }: Options = {}): Sandbox {
  const lanes = Array.from({ length: workers }, createLane);
  const idle = [...lanes];
  const queue = createFairQueue({ slots: workers, slotsPerKey: workersPerOwner });
  const loops = createLoopMemory();

  /** One slice of a job. The worker is given back, and its owner charged, once it can serve the next without a delay. */
  function attempt(owner: ScriptOwner, job: Job): Promise<Slice> {
    return new Promise((resolve, reject) => {
      const work = async () => {
        const lane = idle.pop()!;
        // An owner that comes while this worker is taken must not wait for another one to start.
        for (const other of idle) other.warmUp();
        const startedAt = performance.now();
        try {
          const outcome = await lane.attempt(job);
          resolve({ ...outcome, usedMs: outcome.fall ? performance.now() - startedAt : outcome.usedMs });
          await lane.recover();
        } finally {
          idle.push(lane);
        }
      };
      queue.run(owner, work).catch(reject);
    });
  }

  /**
   * A script that takes its worker down is left out and the others go on. A script that ran out of time is tried a second time
   * after the others, because on a busy machine an innocent one can look like an endless loop: they are pure, so running
   * one again does no harm. One that did not end the last time either is not given a second try.
   */
  async function finish(owner: ScriptOwner, job: Job, allowance?: Allowance): Promise<(Answer | Unrun)[]> {
    const answers: (Answer | Unrun)[] = job.sources.map(() => unrun);
    let open = [...job.sources.keys()];
    let falls = 0;
    const suspects = new Set<number>();
    while (open.length > 0) {
      if (allowance && allowance.leftMs <= 0) break;
      const sources = open.slice(0, mostAtOnce).map((index) => job.sources[index]!);
      const limit = allowance === undefined ? {} : { limitMs: allowance.leftMs };
      const { answers: given, fall, usedMs } = await attempt(owner, { ...job, ...limit, sources });
      if (allowance) allowance.leftMs -= usedMs;
      const culprit = fall === undefined ? undefined : open[fall.at];
      if (fall !== undefined && culprit === undefined && ++falls > 1) {
        throw new Error('The worker of the script sandbox fell twice before it ran a script.');
      }
      const told = open.slice(0, given.length);
      open = open.slice(given.length);
      if (fall !== undefined && culprit !== undefined) {
        told.push(culprit);
        given.push({ fault: stopped[fall.by] });
        open = open.filter((index) => index !== culprit);
      }
      for (const [position, index] of told.entries()) {
        const answer = given[position]!;
        const source = job.sources[index]!;
        if (!isTime(answer)) {
          loops.ended(owner, source);
          answers[index] = answer;
        } else if (allowance) {
          // Whether it loops is not judged within an allowance.
        } else if (suspects.has(index) || loops.has(owner, source)) {
          loops.add(owner, source);
          answers[index] = answer;
        } else {
          suspects.add(index);
          open.push(index);
        }
      }
      const isCutOff = allowance !== undefined && fall === undefined && given.length === 0;
      if (isCutOff || fall?.by === 'limit') break;
    }
    return answers;
  }

  function toJob(values: Readonly<Record<string, unknown>>, sources: readonly string[]): Job {
    const names = Object.keys(values);
    const wrong = names.find((name) => !/^[A-Za-z_$][\w$]*$/.test(name));
    if (wrong !== undefined) throw new Error(`"${wrong}" cannot be the name of a value in a script.`);
    return { names, values: encodeValues(Object.values(values)), sources };
  }

  return {
    async check(owner, source) {
      const [answer] = await finish(owner, { names: [], sources: [source] });
      return isFault(answer) ? answer.fault : undefined;
    },
    async run(owner, values, sources) {
      const answers = await finish(owner, toJob(values, sources));
      return answers.map((answer) => toResult(answer)!);
    },
    async runWithin(allowance, owner, values, sources) {
      const answers = await finish(owner, toJob(values, sources), allowance);
      return answers.map(toResult);
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

type Slice = Awaited<ReturnType<ReturnType<typeof createLane>['attempt']>>;

const unrun = Symbol('unrun');
type Unrun = typeof unrun;

function isFault(answer: Answer | Unrun): answer is { fault: ScriptFault } {
  return typeof answer === 'object' && 'fault' in answer;
}

function isTime(answer: Answer): boolean {
  return isFault(answer) && answer.fault.code === 'time';
}

const stopped: Record<'time' | 'memory' | 'limit', ScriptFault> = {
  time: { code: 'time', message: 'the script did not end and was stopped' },
  memory: { code: 'memory', message: 'the script exhausted the sandbox and was stopped' },
  limit: { code: 'time', message: 'the script did not end and was stopped' },
};

function toResult(answer: Answer | Unrun): ScriptResult | undefined {
  if (answer === unrun) return undefined;
  if (typeof answer !== 'object') return { value: answer };
  return 'fault' in answer ? answer : { value: decodeValue(answer.text) };
}
