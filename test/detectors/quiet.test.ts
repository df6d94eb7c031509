import { expect, it } from 'vitest';
import { measureDetection } from '../../bench/support/detection/measureDetection.ts';
import { messageFault } from '../../testing/messageFault.ts';

/** The small version of `npm run bench:detection`. */
it('raises at most one false alert per detector on 300 blocks of benign traffic, and finds modelled incidents, of which a person can read every message', async () => {
  const { figures, missed, raised } = await measureDetection([1], 300, 1);
  const noisy = figures.filter(({ falseAlerts }) => falseAlerts.length > 1);
  expect(noisy.map(({ detector, falseAlerts }) => [detector, ...falseAlerts])).toEqual([]);
  expect(missed).toEqual([]);
  expect(raised.flatMap((finding) => messageFault(finding) ?? [])).toEqual([]);
  expect(new Set(raised.map(({ detectorSchemaName }) => detectorSchemaName)).size).toBeGreaterThan(30);
});
