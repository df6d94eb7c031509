import { measureDetection } from './support/detection/measureDetection.ts';
import { machine } from './support/machine.ts';

/** `npm run bench:detection -- 5000` takes as many blocks for each seed. */
const blocks = Number(process.argv[3] ?? 1_000);
const seeds = [1, 2, 3, 4, 5];
const startedAt = performance.now();
const { blocks: count, transactions, figures, missed } = await measureDetection(seeds, blocks);
const seconds = (performance.now() - startedAt) / 1000;

const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
const sum = (member: 'incidents' | 'found' | 'wakeful' | 'wakefulRecommended' | 'quiet') =>
  figures.reduce(
    (total, figure) =>
      total + (member === 'quiet' ? figure.falseAlerts.length - figure.wakeful : figure[member]),
    0,
  );
const row = (name: string, incidents: number, found: number, wakeful: number, own: number, quiet: number) =>
  `| ${name === 'all' ? 'all' : `\`${name}\``} | ${incidents} | ${found} | ${percent(found, incidents)} | ${wakeful} | ${((1000 * wakeful) / count).toFixed(2)} | ${own} | ${quiet} |`;
console.log(
  [
    `${machine()}. ${count.toLocaleString('en')} benign blocks with ${transactions.toLocaleString('en')} transactions (seeds ${seeds.join(', ')}), then every incident after 200 benign blocks, in ${seconds.toFixed(0)} s.`,
    '',
    '| detector | incidents | found | recall | MEDIUM or more without cause | per 1,000 blocks | with what is recommended | LOW and INFO |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...[...figures].map(({ detector, incidents, found, falseAlerts, wakeful, wakefulRecommended }) =>
      row(detector, incidents, found, wakeful, wakefulRecommended, falseAlerts.length - wakeful),
    ),
    row('all', sum('incidents'), sum('found'), sum('wakeful'), sum('wakefulRecommended'), sum('quiet')),
  ].join('\n'),
);
for (const miss of missed) console.error(`Missed ${miss}`);
for (const { detector, falseAlerts } of figures) {
  const isSevere = (text: string) => !/^(LOW|INFO) /.test(text);
  const shown = [
    ...falseAlerts.filter(isSevere),
    ...falseAlerts.filter((text) => !isSevere(text)).slice(0, 2),
  ];
  for (const text of shown) console.error(`${detector}: ${text}`);
}
