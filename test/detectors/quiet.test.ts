import { expect, it } from 'vitest';
import { measureDetection } from '../../bench/support/detection/measureDetection.ts';
import { messageFault } from '../../testing/messageFault.ts';

/** The small version of `npm run bench:detection`. */
it('raises at most one alert of MEDIUM or more in 150 blocks of ordinary traffic, with everything recommended on, and finds modelled incidents, of which a person can read every message', async () => {
  const { figures, missed, raised } = await measureDetection([1], 150, 1);
  const severe = figures.flatMap(({ detector, falseAlerts, wakeful }) =>
    wakeful === 0 ? [] : [detector, ...falseAlerts.filter((text) => !/^(LOW|INFO) /.test(text))],
  );
  expect(severe.length, severe.join('\n')).toBeLessThanOrEqual(2);
  expect(missed).toEqual([]);
  expect(raised.flatMap((finding) => messageFault(finding) ?? [])).toEqual([]);
  expect(new Set(raised.map(({ detectorSchemaName }) => detectorSchemaName)).size).toBeGreaterThan(30);
});
