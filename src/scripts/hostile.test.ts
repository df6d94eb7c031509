import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createTurns } from '../../testing/createTurns.ts';
import { createSandbox, type SandboxResult } from './sandbox.ts';

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const e = { severity: 0.7, txHash: '0xabc', args: { value: 10n ** 19n, list: [3, 1, 2] } };

/** Touches what a script could have bent: prototypes, built-ins, globals and the values themselves. */
const canary = `const o = {};
  return [o.polluted, typeof leak, Object.getOwnPropertyNames(globalThis).length, Object.keys(Object.prototype).length,
    [3, 1, 2].sort().map((x) => x * 2).join(), JSON.stringify({ a: [1] }), 'abc'.replace(/b/, 'x'), [...new Set([1, 1])].length,
    e.severity, e.txHash, e.getTxHash(), e.args.value, e.args.list.join(), Object.keys(e).join(), String(new Date(0))].join(' ');`;

const hostile = readFileSync(new URL('hostile.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/ \| (.*)/s))
  .map(([expected = '', source = '']) => ({ expected, source }));

describe('hostile scripts', () => {
  it('are at least 300', () => {
    expect(new Set(hostile.map(({ source }) => source)).size).toBeGreaterThanOrEqual(300);
  });

  it('return what they may, reveal nothing of the host, and do not affect the next script', async () => {
    const isTurn = createTurns('hostile scripts', 4);
    const tried = hostile.filter((_, n) => isTurn(n));
    const [alone] = await sandbox.run(1, { e }, [canary]);
    const results = await sandbox.run(
      1,
      { e },
      tried.flatMap(({ source }) => [source, canary]),
    );
    const wrong = tried
      .map(({ expected, source }, index) => ({ expected, source, got: summary(results[2 * index]!) }))
      .filter(({ expected, got }) => !expected.split(' or ').includes(got));
    expect(wrong).toEqual([]);
    expect(tried.filter((_, index) => !isSame(results[2 * index + 1]!, alone!))).toEqual([]);
    expect(JSON.stringify(results, text)).not.toMatch(/file:|node_modules|\.[cm]?[jt]s\b|\bat </);
  });

  it.each([
    'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    'Array.prototype.join.call({ length: 2 ** 32 }, "").length',
    'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
    'for (;;) "x".repeat(1e6).toUpperCase()',
  ])(
    'scripts in a loop that cannot be interrupted are stopped, and the others of the run get results: %s',
    async (source) => {
      const [before, stopped, after] = await sandbox.run(1, { e }, [canary, source, canary]);
      expect(summary(stopped!)).toBe('time');
      expect(isSame(before!, after!)).toBe(true);
    },
  );

  it('compile without running', async () => {
    for (const { expected, source } of hostile.slice(0, 120)) {
      expect((await sandbox.check(1, source))?.code === 'syntax', source).toBe(expected === 'syntax');
    }
  });
});

function summary(result: SandboxResult): string {
  return 'fault' in result ? result.fault.code : (JSON.stringify(result.value, text) ?? 'undefined');
}

function isSame(one: SandboxResult, other: SandboxResult): boolean {
  return summary(one) === summary(other) && 'value' in one;
}

function text(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
