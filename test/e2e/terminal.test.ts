import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'acorn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresProcesses } from '../../testing/bundledPostgres.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { until } from '../../testing/until.ts';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'dist', 'bin', 'vigil.js');

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
beforeAll(async () => {
  workspace = await createWorkspace({ firstStart: true, isBundled: true });
});
afterAll(() => workspace.remove());

describe('on a terminal', () => {
  it('Ctrl-C while the database is made is said in one sentence, and the next start shows its log as plain lines', async ({
    skip,
  }) => {
    skip(
      !spawnSync('script', ['--version']).stdout?.includes('util-linux'),
      '`script` makes no terminal here',
    );
    const dataDir = workspace.folder('interrupted');
    const first = serveOnTerminal(dataDir);
    // The folder of the cluster has another name until it is whole.
    await until(async () => (await namesIn(dataDir)).some((name) => name.startsWith('postgres.partial-')));
    first.type('\x03');
    expect(await first.ended).toBe(130);
    expect(first.told()).toContain('Stopped before Vigil was ready.\r\n');
    expect(first.told()).not.toMatch(/could not|cannot|Vigil listens/);
    expect(await postgresProcesses(dataDir)).toEqual([]);

    const second = serveOnTerminal(workspace.folder('whole'));
    await until(() => second.told().includes('/setup#'));
    expect(second.told()).toMatch(/^\d\d:\d\d:\d\d Database ready \(\d+ steps\)\r$/m);
    expect(second.told()).not.toContain('{"level"');
    second.type('\x03');
    expect(await second.ended).toBe(0);
    expect(second.told()).toMatch(/^\d\d:\d\d:\d\d Stopped\r$/m);
  });
});

function serveOnTerminal(dataDir: string) {
  const child = spawn('script', ['-qec', `exec '${process.execPath}' '${program}' serve`, '/dev/null'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      VIGIL_DATA_DIR: dataDir,
      VIGIL_RUN_DIR: workspace.folder('run'),
      VIGIL_PORT: '0',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  return { type: (text: string) => child.stdin.write(text), told: () => told, ended };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

describe('an old version of Node', () => {
  it('gets a sentence from npm start and from the command, in syntax that it can read', async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.0'}})`;
    for (const file of [program, join(root, 'scripts', 'start.mjs')]) {
      const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, file, 'version'], {
        encoding: 'utf8',
      });
      expect([status, stderr], file).toEqual([
        1,
        'Vigil needs Node 20.19, 22.12 or newer; this is Node 18.20.0.\n',
      ]);
    }
    const check = await readFile(join(root, 'scripts', 'requireNode.mjs'), 'utf8');
    expect(() => parse(check, { ecmaVersion: 2015 })).not.toThrow();
    const entry = await readFile(program, 'utf8');
    const syntax = { ecmaVersion: 2020, sourceType: 'module', allowHashBang: true } as const;
    const { body } = parse(entry, syntax);
    // What is imported statically is read before the check runs.
    expect(body.filter(({ type }) => type === 'ImportDeclaration')).toEqual([]);
  });
});
