import { Chart } from '../../parts/Chart.tsx';
import type { Series } from '../../parts/chartProps.ts';
import { client } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';

/** Planned and actual circulating supply, for a token that has a plan or is measured. */
export function Tokenomics({ contractId }: { contractId: number }) {
  const { data } = useLoad(`tokenomics ${contractId}`, (signal) =>
    client.get('/contract/{id}/tokenomics', { path: { id: contractId }, signal }),
  );
  if (!data) return null;
  const { line, samples, planned, actual } = data.circulating;
  if (line.length === 0 && samples.length === 0) return null;
  const times = [...new Set([...line, ...samples].map(({ timestamp }) => timestamp))].sort((a, b) => a - b);
  const series: Series[] = [
    { label: 'Planned', color: '--dim', kind: 'step', values: stepsAt(times, line) },
    { label: 'Actual', color: '--accent', values: stepsAt(times, samples) },
  ];
  return (
    <section class="card" aria-labelledby="tokenomics">
      <header>
        <h2 id="tokenomics">
          Circulating supply <span class="dim foreign">{data.symbol}</span>
        </h2>
        <span class="dim small">
          planned {planned ?? 'unknown'}, actual {actual ?? 'unknown'}
        </span>
      </header>
      {data.fault && <p class="notice warn foreign">{data.fault.message}</p>}
      <Chart label="Circulating supply" times={times} series={series} height={160} />
    </section>
  );
}

/** The last value known at each moment; a chart may round what a sum must not. */
function stepsAt(
  times: readonly number[],
  points: readonly { timestamp: number; amount: string }[],
): (number | null)[] {
  const sorted = [...points].sort((a, b) => a.timestamp - b.timestamp);
  let at = 0;
  let last: number | null = null;
  return times.map((time) => {
    while (at < sorted.length && sorted[at]!.timestamp <= time) last = Number(sorted[at++]!.amount);
    return last;
  });
}
