import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import tests from './longTests.json' with { type: 'json' };

it('the list of long tests names files that there are, each once', () => {
  const { longest, alsoShort } = tests;
  expect(longest.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
  expect(alsoShort.filter((file) => !longest.includes(file))).toEqual([]);
});
