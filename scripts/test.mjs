// `node scripts/test.mjs [--all] [files]`: runs the tests; without `--all` and files all but those that take long (testing/longTests.json, the
// longest first by measurement), whose list it prints at the end. A file that fails is run once more by itself when all others have ended,
// because one test in thousands that talks to a dozen processes on a busy machine must not cost the run; the summary names it with its error.
import { readFileSync } from 'node:fs';
import { configDefaults } from 'vitest/config';
import { createVitest } from 'vitest/node';
import { compiledSource } from './compiledSource.mjs';
import { isDistStale } from './isStale.mjs';

/** More than these are no accident. */
const mostFilesAgain = 6;

const files = process.argv.slice(2).filter((word) => word !== '--all');
const isShort = files.length === 0 && !process.argv.includes('--all');
const left = isShort ? longAlone() : [];
if (isShort) process.once('exit', printLeft);

const options = { watch: false, exclude: [...configDefaults.exclude, ...left] };
const vitest = await createVitest('test', options, isDistStale() ? {} : compiledSource);
const { testModules } = await vitest.start(files);
const failed = testModules.filter((module) => !module.ok());
if (failed.length <= mostFilesAgain && vitest.state.getUnhandledErrors().length === 0) {
  process.exitCode = 0;
  // One after the other, each in a process and with a database of its own.
  for (const { moduleId } of failed)
    await vitest.runTestSpecifications(vitest.getModuleSpecifications(moduleId));
}
await vitest.exit(true);

function longAlone() {
  const { longest, alsoShort } = JSON.parse(
    readFileSync(new URL('../testing/longTests.json', import.meta.url), 'utf8'),
  );
  return longest.filter((file) => !alsoShort.includes(file));
}

function printLeft() {
  process.stdout.write(`\nOnly in \`npm run test:all\`, because they take long:\n  ${left.join('\n  ')}\n`);
}
