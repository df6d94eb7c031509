import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown';
import { nodeFlags } from '../../../testing/nodeFlags.ts';
import type { Order } from './obeyOrders.ts';
import type { ActorSetup } from './openActor.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const modules = join(repository, 'node_modules');

/** A process of its own that fires actions. */
export type ActorProcess = {
  isAlive(): boolean;
  start(): void;
  /** From now on it kills itself when it reaches the point for the nth time. */
  killAt(point: string, nth: number): Promise<void>;
  kill(): Promise<void>;
};

export type Actors = Awaited<ReturnType<typeof createActors>>;

type Program = 'actProcess' | 'guardProcess';

/** Makes processes that fire actions. One is always ready, so that nobody waits for a program to load. */
export async function createActors(setup: ActorSetup, program: Program = 'actProcess') {
  const folder = join(tmpdir(), `vigil-actors-${randomUUID()}`);
  await compile(folder, program);
  const children = new Set<ChildProcess>();
  let spare = launch();

  function launch(): Promise<ActorProcess> {
    const child = fork(join(folder, `${program}.js`), {
      execArgv: [...nodeFlags],
      stdio: 'inherit',
    });
    children.add(child);
    const ended = once(child, 'exit').then(() => void children.delete(child));
    const tell = (order: Order) => void (child.connected && child.send(order, () => {}));
    /** It answers its orders in turn; a dead one answers nothing. */
    const answer = () => Promise.race([once(child, 'message'), ended]);
    const ready = answer();
    tell({ type: 'setup', setup });
    const actor = ready.then(() => {
      // A test would wait for minutes for what a dead process does.
      if (!children.has(child))
        throw new Error(`An actor ended with ${child.signalCode ?? child.exitCode} before it was ready.`);
      return {
        isAlive: () => children.has(child),
        start: () => tell({ type: 'start' }),
        async killAt(point: string, nth: number) {
          const armed = answer();
          tell({ type: 'killAt', point, nth });
          await armed;
        },
        async kill() {
          child.kill('SIGKILL');
          await ended;
        },
      };
    });
    // `start` throws what it failed with.
    actor.catch(() => {});
    return actor;
  }

  return {
    async start(): Promise<ActorProcess> {
      const actor = await spare;
      spare = launch();
      actor.start();
      return actor;
    },
    async stop(): Promise<void> {
      await spare.catch(() => {});
      for (const child of children) child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** One file loads in half the time of hundreds. The sandbox stays apart: its worker consists of the text of its functions. */
async function compile(folder: string, program: Program): Promise<void> {
  await mkdir(folder);
  await symlink(modules, join(folder, 'node_modules'));
  await cp(join(repository, 'package.json'), join(folder, 'package.json'));
  const sources = join(repository, 'src');
  const sandbox = (await readdir(join(sources, 'scripts'))).filter((file) => /^\w+\.ts$/.test(file));
  const toCompiled = (source: string) => join(folder, 'src', 'scripts', `${parse(source).name}.js`);
  await bundle(
    { input: sandbox.map((file) => join(sources, 'scripts', file)), external: /^[^./]/ },
    { dir: join(folder, 'src'), preserveModules: true, preserveModulesRoot: sources },
  );
  await bundle(
    {
      input: join(import.meta.dirname, `${program}.ts`),
      external: [/^koffi/, /^pg-native$/, /^pino$/, /^quickjs-emscripten/],
      plugins: [
        {
          name: 'sandbox',
          resolveId: (source) =>
            /\/scripts\/\w+\.ts$/.test(source) ? { id: toCompiled(source), external: true } : undefined,
        },
      ],
    },
    { dir: folder },
  );
}

async function bundle(input: InputOptions, output: OutputOptions): Promise<void> {
  const bundled = await rolldown({ platform: 'node', logLevel: 'warn', ...input });
  await bundled.write({ format: 'esm', ...output });
  await bundled.close();
}
