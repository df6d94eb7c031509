import { measureDetection } from './support/detection/measureDetection.ts';
import { machine } from './support/machine.ts';

/** `npm run bench:detection -- 5000` takes as many blocks for each seed. */
const blocks = Number(process.argv[3] ?? 2_000);
const seeds = [1, 2, 3, 4, 5];
const startedAt = performance.now();
const { blocks: count, transactions, figures, missed } = await measureDetection(seeds, blocks);
const seconds = (performance.now() - startedAt) / 1000;

const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
console.log(
  [
    `${machine()}. ${count.toLocaleString('en')} benign blocks with ${transactions.toLocaleString('en')} transactions (seeds ${seeds.join(', ')}), then every incident after 200 benign blocks, in ${seconds.toFixed(0)} s.`,
    '',
    '| detector | incidents | found | recall | false alerts | per 1,000 blocks | precision |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...figures.map(({ detector, incidents, found, hits, falseAlerts }) => {
      const wrong = falseAlerts.length;
      const rate = ((1000 * wrong) / count).toFixed(2);
      return `| \`${detector}\` | ${incidents} | ${found} | ${percent(found, incidents)} | ${wrong} | ${rate} | ${percent(hits, hits + wrong)} |`;
    }),
  ].join('\n'),
);
for (const miss of missed) console.error(`Missed ${miss}`);
for (const { detector, falseAlerts } of figures)
  for (const text of falseAlerts.slice(0, 3)) console.error(`${detector}: ${text}`);
