import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/bin/commands.ts';
import { completionFor, shells } from '../../src/bin/completion.ts';

describe('the completion of the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-completion-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['', 'to', ['token']],
    ['token', '', ['create', 'list', 'revoke']],
    ['token create', '--t', ['--tenant']],
    ['token create --role admin', '--', ['--role', '--tenant', '--label', '--days', '--help']],
    ['import', 's', ['sanctions']],
    ['moon', '', []],
  ])('offers what may follow "vigil %s" in bash', (before, word, expected) => {
    const typed = ['vigil', ...before.split(' ').filter(Boolean), word];
    const script = `${completionFor('bash', commands)}
COMP_WORDS=(${typed.map((each) => `'${each}'`).join(' ')}); COMP_CWORD=${typed.length - 1}; _vigil; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(printed.split('\n').filter(Boolean)).toEqual(expected);
  });

  for (const shell of shells)
    it(`has every command and option, and is a script that ${shell} reads`, ({ skip }) => {
      const script = completionFor(shell, commands);
      for (const { name, options = {} } of commands)
        for (const word of [...name.split(' '), ...Object.keys(options)]) expect(script).toContain(word);
      skip(spawnSync(shell, ['--version']).status !== 0, `${shell} is not installed`);
      const file = join(folder, shell);
      writeFileSync(file, script);
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });
});
