import { decodeValue, encodeValues } from './codec.ts';
import type { ScriptFault } from './compile.ts';
import { createLane, type Lane } from './lane.ts';
import type { Answer, Job } from './worker.ts';

export type ScriptResult = { value: unknown } | { fault: ScriptFault };

export type Sandbox = {
  /** Compiles without running. Source is a JavaScript expression, or a body with `return`. */
  check(source: string): Promise<ScriptFault | undefined>;
  /** Loads the values once, then runs every script over them, each in a clean state: one script cannot see or change what another did. */
  run(values: Readonly<Record<string, unknown>>, sources: readonly string[]): Promise<ScriptResult[]>;
  close(): Promise<void>;
};

export function createSandbox({ workers = 1 }: { workers?: number } = {}): Sandbox {
  const lanes = Array.from({ length: workers }, createLane);
  const idle = [...lanes];
  const waiting: ((lane: Lane) => void)[] = [];

  async function work(job: Job): Promise<Answer[]> {
    const lane = idle.pop() ?? (await new Promise<Lane>((resolve) => waiting.push(resolve)));
    try {
      return await finish(lane, job);
    } finally {
      const next = waiting.shift();
      if (next === undefined) idle.push(lane);
      else next(lane);
    }
  }

  return {
    async check(source) {
      const [answer] = await work({ names: [], sources: [source] });
      return typeof answer === 'object' && 'fault' in answer ? answer.fault : undefined;
    },
    async run(values, sources) {
      const names = Object.keys(values);
      const wrong = names.find((name) => !/^[A-Za-z_$][\w$]*$/.test(name));
      if (wrong !== undefined) throw new Error(`"${wrong}" cannot be the name of a value in a script.`);
      const answers = await work({ names, values: encodeValues(Object.values(values)), sources });
      return answers.map(toResult);
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/**
 * A script that takes its worker down is left out and the others go on. Whoever ran out of time is tried a second time after
 * the others, because on a busy machine an innocent one can look like an endless loop: they are pure, so running one again
 * does no harm.
 */
async function finish(lane: Lane, job: Job): Promise<Answer[]> {
  const answers: Answer[] = [];
  let open = [...job.sources.keys()];
  let falls = 0;
  const suspects = new Set<number>();
  while (open.length > 0) {
    const sources = open.map((index) => job.sources[index]!);
    const { answers: given, fall } = await lane.attempt({ ...job, sources });
    const culprit = fall === undefined ? undefined : open[fall.at];
    if (fall !== undefined && culprit === undefined && ++falls > 1) {
      throw new Error('The worker of the script sandbox fell twice before it ran a script.');
    }
    const isSuspect = (index: number, answer: Answer) => isTime(answer) && !suspects.has(index);
    const told = given.map((answer, position): [number, Answer] => [open[position]!, answer]);
    if (fall !== undefined && culprit !== undefined) told.push([culprit, { fault: stopped[fall.by] }]);
    const again = told.filter(([index, answer]) => isSuspect(index, answer)).map(([index]) => index);
    for (const [index, answer] of told) if (!isSuspect(index, answer)) answers[index] = answer;
    for (const index of again) suspects.add(index);
    open = [...open.slice(given.length).filter((index) => index !== culprit), ...again];
  }
  return answers;
}

function isTime(answer: Answer): boolean {
  return typeof answer === 'object' && 'fault' in answer && answer.fault.code === 'time';
}

const stopped: Record<'time' | 'memory', ScriptFault> = {
  time: { code: 'time', message: 'the script did not end and was stopped' },
  memory: { code: 'memory', message: 'the script exhausted the sandbox and was stopped' },
};

function toResult(answer: Answer): ScriptResult {
  if (typeof answer !== 'object') return { value: answer };
  return 'fault' in answer ? answer : { value: decodeValue(answer.text) };
}
