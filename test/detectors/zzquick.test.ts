import { it } from 'vitest';
import { measureDetection } from '../../bench/support/detection/measureDetection.ts';

it('x', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { figures } = await measureDetection([seed], 300, 0);
    for (const f of figures)
      for (const x of f.falseAlerts.filter((x) => !x.startsWith('LOW') && !x.startsWith('INFO')))
        console.log(f.detector, x);
  }
}, 600000);
