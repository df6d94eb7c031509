import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findCodeFile } from '../lib/codeFile.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';

/** Runs the demo, which is bundled apart because it brings chains of its own. */
export async function demoCommand(options: CommandInput['options']): Promise<number> {
  const file = findCodeFile('demo/demo.cjs');
  if (!file) return refuse('The demo is not built here. Run: npm run demo');
  const { runDemo }: { runDemo(flags: CommandInput['options']): Promise<number> } = createRequire(
    import.meta.url,
  )(fileURLToPath(file));
  return runDemo(options);
}
