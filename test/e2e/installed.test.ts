import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'dist', 'bin', 'vigil.js');

describe('the installed command', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vigil-installed-'));
    await writeFile(
      join(folder, 'report.cjs'),
      "process.stderr.write(JSON.stringify([process.pid, process.execArgv, process.argv[1]]) + '\\n');",
    );
    await symlink(program, join(folder, 'vigil'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** The processes of Node that a command becomes, each with its flags and its program. */
  async function run(command: string, args: readonly string[]) {
    const child = spawn(command, args, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_OPTIONS: `--require=${join(folder, 'report.cjs')}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    const [code] = await once(child, 'close');
    const lines = printed.stderr.split('\n').filter((line) => line.startsWith('['));
    const started = lines.map((line): [number, string[], string] => JSON.parse(line));
    return { code, pid: child.pid, started, ...printed };
  }

  it.each(['the file', 'a link to it, as npm installs one'])(
    'is one process, the one that was started, in which V8 does not collect heaps that merely grew: %s',
    async (how) => {
      const file = how === 'the file' ? program : join(folder, 'vigil');
      const { code, pid, started, stdout } = await run(file, ['version']);
      expect(started).toEqual([[pid, ['--no-memory-reducer'], expect.stringMatching(/vigil(\.js)?$/)]]);
      expect(stdout).toMatch(/\d+\.\d+\.\d+/);
      expect(code).toBe(0);
    },
  );

  it('passes on arguments with spaces and quotes, and the code with which it ends', async () => {
    const { code, stderr } = await run(program, ['no such "command"', '$HOME']);
    expect(stderr).toContain('no such "command"');
    expect(code).toBe(2);
  });

  it('has the same flag with `npm start`', async () => {
    const { code, started } = await run('npm', ['start', '--silent', '--', 'version']);
    const [, flags] = started.find(([, , file]) => file.endsWith('start.mjs')) ?? [];
    expect(flags).toEqual(['--no-memory-reducer']);
    expect(code).toBe(0);
  });
});
