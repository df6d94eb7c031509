import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

type Result = { passed: number; failed: number; skipped: string[]; errors: string[] };

/** Ends every run with one line that a script can read: `12 passed, 0 failed`. */
export default class SummaryReporter implements Reporter {
  /** The last result of each file. */
  #results = new Map<string, Result>();
  #mended: string[] = [];
  #unhandled = 0;
  #hasEnded = false;

  onInit(): void {
    // On exit, because the teardown and other reporters may still write after the run's end.
    process.once('exit', (code) => {
      const results = [...this.#results.values()];
      const passed = sum(results.map((result) => result.passed));
      const skipped = results.flatMap((result) => result.skipped);
      const failures = sum(results.map((result) => result.failed)) + this.#unhandled;
      // A run that broke off or whose teardown failed is no test's fault, yet it failed.
      const failed = Math.max(failures, code === 0 && this.#hasEnded ? 0 : 1);
      if (failed > 0) process.exitCode = code || 1;
      const lines = [...this.#mended, ...skipped, toSummary(passed, failed, skipped.length)];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.#hasEnded = true;
    this.#unhandled += unhandledErrors.length;
    for (const module of modules) {
      const result = toResult(module);
      const before = this.#results.get(module.moduleId);
      // What failed and then held is said with its error, because a fault that shows rarely is one all the same.
      if (before && before.failed > 0 && result.failed === 0)
        this.#mended.push(...before.errors.map((error) => `passed only when run again by itself: ${error}`));
      this.#results.set(module.moduleId, result);
    }
  }
}

function toResult(module: TestModule): Result {
  const tests = [...module.children.allTests()];
  const broken = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  const failed = tests.filter((test) => test.result().state === 'failed');
  const skipped = tests.filter((test) => test.result().state === 'skipped');
  const passed = tests.filter((test) => test.result().state === 'passed').length;
  return {
    passed,
    failed: tests.length - passed - skipped.length + broken.length,
    skipped: skipped.map((test) => `skipped: ${nameOf(test)}: ${reasonOf(test)}`),
    errors: [
      ...failed.map((test) => `${nameOf(test)}: ${textOf(test.result().errors?.[0])}`),
      ...broken.map((error) => `${module.relativeModuleId}: ${textOf(error)}`),
    ],
  };
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' && result.note) || 'no reason given';
}

function textOf(error: SerializedError | undefined): string {
  const text = error?.stack ?? error?.message ?? 'no error given';
  return text.replaceAll(/\n.*\/node_modules\/.*/g, '');
}

function toSummary(passed: number, failed: number, skipped: number): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
