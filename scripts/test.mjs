// `node scripts/test.mjs [files]`: runs the tests. A file that fails is run once more by itself when all others have ended, because one
// test in thousands that talks to a dozen processes on a busy machine must not cost the run; the summary names it with its error.
import { createVitest } from 'vitest/node';
import { compiledSource } from './compiledSource.mjs';
import { isDistStale } from './isStale.mjs';

/** More than these are no accident. */
const mostFilesAgain = 6;

const vitest = await createVitest('test', { watch: false }, isDistStale() ? {} : compiledSource);
const { testModules } = await vitest.start(process.argv.slice(2));
const failed = testModules.filter((module) => !module.ok());
if (failed.length <= mostFilesAgain && vitest.state.getUnhandledErrors().length === 0) {
  process.exitCode = 0;
  // One after the other, each in a process and with a database of its own.
  for (const { moduleId } of failed)
    await vitest.runTestSpecifications(vitest.getModuleSpecifications(moduleId));
}
await vitest.exit(true);
