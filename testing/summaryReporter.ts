import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';

type Tally = { passed: number; failed: number; skipped: TestCase[]; retried: TestCase[] };

/** Ends every run with one line that a script can read: `12 passed, 0 failed`. */
export default class SummaryReporter implements Reporter {
  // Stands when the run breaks off before there is a result.
  #tally: Tally = { passed: 0, failed: 1, skipped: [], retried: [] };

  onInit(): void {
    // On exit, because the teardown and other reporters may still write after the run's end.
    process.once('exit', (code) => {
      const { passed, skipped, retried } = this.#tally;
      // A failed teardown is no test's fault, yet the run failed.
      const failed = Math.max(this.#tally.failed, code === 0 ? 0 : 1);
      if (failed > 0) process.exitCode = code || 1;
      const lines = [
        ...retried.map(describeRetry),
        ...skipped.map(describe),
        toSummary(passed, failed, skipped.length),
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const suites: (TestModule | TestSuite)[] = modules.flatMap((module) => [
      module,
      ...module.children.allSuites(),
    ]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const retried = tests.filter((test) => test.diagnostic()?.flaky);
    const broken = suites.filter((suite) => suite.errors().length > 0).length + unhandledErrors.length;
    this.#tally = { passed, failed: tests.length - passed - skipped.length + broken, skipped, retried };
  }
}

function describe(test: TestCase): string {
  const result = test.result();
  const reason = (result.state === 'skipped' && result.note) || 'no reason given';
  return `skipped: ${test.module.relativeModuleId} > ${test.fullName}: ${reason}`;
}

/** What failed and then held is said with its error, because a fault that shows rarely is one all the same. */
function describeRetry(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  return `passed on its second try only: ${test.module.relativeModuleId} > ${test.fullName}: ${error?.stack ?? error?.message}`;
}

function toSummary(passed: number, failed: number, skipped: number): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
