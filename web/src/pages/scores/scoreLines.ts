import type { Series } from '../../parts/chartProps.ts';

const colors = ['--accent', '--good', '--high', '--low', '--critical', '--medium', '--info'];

/** A stepped line for each group; a score holds until its next change. */
export function scoreLines(points: readonly { ts: number; scores: Record<string, number> }[]): {
  times: number[];
  series: Series[];
} {
  const groups = [...new Set(points.flatMap(({ scores }) => Object.keys(scores)))];
  const present: Record<string, number> = {};
  const rows = points.map(({ scores }) => ({ ...Object.assign(present, scores) }));
  return {
    times: points.map(({ ts }) => ts),
    series: groups.map((label, index) => ({
      label,
      color: colors[index % colors.length]!,
      kind: 'step',
      values: rows.map((row) => row[label] ?? null),
    })),
  };
}
