import { completionFor, shells } from './completion.ts';
import type { Command } from './parseCommand.ts';
import { refuse } from './refuse.ts';

export async function completionCommand(
  words: readonly string[],
  commands: readonly Command[],
): Promise<number> {
  const shell = shells.find((name) => name === words[0]);
  if (!shell || words.length > 1) return refuse(`Name your shell: vigil completion ${shells.join('|')}`);
  process.stdout.write(completionFor(shell, commands));
  return 0;
}
