import type { Comparison } from './compare.ts';
import { machine } from './machine.ts';
import type { Start } from './measureStart.ts';
import type { Split } from './splitPage.ts';

export type Report = {
  postgresVersion: string;
  data: string;
  comparisons: Record<'read' | 'search' | 'page' | 'create' | 'update', Comparison>;
  split: Split;
  start: Start;
};

type Goal = { what: string; figure: number; limit: number; unit: string };

/** Tables for docs/performance.md, and whether each goal holds. */
export function toMarkdown(report: Report): string {
  const { comparisons, split } = report;
  return [
    `${machine()}, PostgreSQL ${report.postgresVersion} (bundled, durable settings). ${report.data} Load, server and database share the machine. Cost is the bare route's throughput divided by Vigil's, in turns within one run; CPU is the processor time of the Node process for one request.`,
    '',
    '| request | connections | Vigil req/s | p50 ms | p99 ms | CPU ms | bare req/s | p50 ms | p99 ms | CPU ms | cost |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...Object.values(comparisons).map(toRow),
    '',
    '| where the time of one 10,000-record page goes | ms |',
    '|---|--:|',
    `| PostgreSQL (plan, execute, rows to text) | ${split.postgres.toFixed(1)} |`,
    `| transfer and reading of the rows | ${split.driver.toFixed(1)} |`,
    `| JSON.stringify | ${split.stringify.toFixed(1)} |`,
    `| HTTP | ${split.http.toFixed(1)} |`,
    `| Vigil, against the bare route | ${split.vigil.toFixed(1)} |`,
    `| all | ${split.total.toFixed(1)} |`,
    '',
    '| goal | limit | measured | |',
    '|---|--:|--:|---|',
    ...toGoals(report).map(
      ({ what, figure, limit, unit }) =>
        `| ${what} | ${limit}${unit} | ${figure.toFixed(unit === ' MB' ? 0 : 2)}${unit} | ${figure <= limit ? 'holds' : '**missed**'} |`,
    ),
  ].join('\n');
}

function toRow({ name, connections, ours, bare, ratio }: Comparison): string {
  const cells = [ours, bare].flatMap(({ perSecond, p50Ms, p99Ms, cpuMs }) => [
    Math.round(perSecond).toLocaleString('en'),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    cpuMs.toFixed(2),
  ]);
  return `| ${name} | ${connections} | ${cells.join(' | ')} | ${ratio.toFixed(2)} × |`;
}

function toGoals({ comparisons, split, start }: Report): Goal[] {
  const cost = (key: 'read' | 'search' | 'page'): Goal => ({
    what: `cost of ${comparisons[key].name} beside the bare route`,
    figure: comparisons[key].ratio,
    limit: 1.5,
    unit: ' ×',
  });
  return [
    cost('read'),
    cost('search'),
    cost('page'),
    { what: 'share of Vigil in a page', figure: (100 * split.vigil) / split.total, limit: 10, unit: ' %' },
    { what: 'idle memory', figure: start.idleBytes / 1e6, limit: 200, unit: ' MB' },
    { what: 'first start', figure: start.firstMs / 1000, limit: 10, unit: ' s' },
    { what: 'later start', figure: start.laterMs / 1000, limit: 3, unit: ' s' },
  ];
}
