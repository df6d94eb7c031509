import { useMemo, useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Amount } from '../../parts/Amount.tsx';
import { Chart } from '../../parts/Chart.tsx';
import type { ChartMark, Series } from '../../parts/chartProps.ts';
import { client } from '../../state/api.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Asset = ReplyOf<'GET', '/contract/{id}/holdings'>['data'][number];
type HoldingsProps = {
  contractId: number;
  period: { from: number; to: number };
  marks: readonly ChartMark[];
};

const inUsd = 'usd';

/** What the contract held, as its detectors saw it, with the moments of alerts. */
export function Holdings({ contractId, period, marks }: HoldingsProps) {
  const { data } = useLoad(
    can('GET /contract/{id}/holdings') ? `holdings ${contractId} ${period.from}` : null,
    (signal) => client.get('/contract/{id}/holdings', { path: { id: contractId }, query: period, signal }),
    { later: true, every: 60_000 },
  );
  const assets = data?.data ?? [];
  const priced = assets.filter(({ points }) => points.some(({ usd }) => usd !== null));
  const [chosen, setChosen] = useState<string>();
  const shown = chosen ?? (priced.length > 0 ? inUsd : assets[0]?.asset);
  const drawing = useMemo(
    () => (shown === inUsd ? drawUsd(priced) : drawAsset(assets.find(({ asset }) => asset === shown))),
    [data, shown],
  );
  if (!data) return null;
  if (assets.length === 0)
    return (
      <p class="dim small">
        No holdings are drawn: detectors of the kinds TVL drop and Wallet balance sample what they look at.
      </p>
    );
  return (
    <div class="stack tight">
      <div class="row">
        {priced.length > 0 && (
          <button type="button" class="small" aria-pressed={shown === inUsd} onClick={() => setChosen(inUsd)}>
            Value in USD
          </button>
        )}
        {assets.slice(0, 8).map((asset) => (
          <button
            key={asset.asset}
            type="button"
            class="small"
            aria-pressed={shown === asset.asset}
            onClick={() => setChosen(asset.asset)}
          >
            <Holding asset={asset} />
          </button>
        ))}
        {assets.length > 8 && <span class="dim small">and {assets.length - 8} more assets</span>}
      </div>
      {drawing && (
        <Chart
          label={shown === inUsd ? 'Value in US dollars' : `Holdings of ${drawing.series[0]?.label ?? ''}`}
          {...untilEnd(drawing, period.to)}
          range={period}
          marks={marks}
          height={120}
        />
      )}
    </div>
  );
}

/** The last holding lasts until another one is seen, so that one sample is a line as well. */
function untilEnd({ times, series }: { times: number[]; series: Series[] }, to: number) {
  if (times.length === 0 || times.at(-1)! >= to) return { times, series };
  return {
    times: [...times, to],
    series: series.map((one) => ({ ...one, values: [...one.values, one.values.at(-1)!] })),
  };
}

function Holding({ asset: { points, symbol } }: { asset: Asset }) {
  const last = points.at(-1);
  if (!last) return null;
  return (
    <>
      <Amount value={shortDecimal(last.amount)} symbol={symbol} />
      {last.usd !== null && <span class="dim"> ≈ {usdFormat.format(Number(last.usd))}</span>}
    </>
  );
}

const usdFormat = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** Digits that a button has room for. */
function shortDecimal(text: string): string {
  return text.replace(/(\.\d{2})\d+$/, '$1');
}

/** A chart may round what a sum must not. */
function drawAsset(asset: Asset | undefined): { times: number[]; series: Series[] } | undefined {
  if (!asset) return undefined;
  const { symbol, points } = asset;
  const values = points.map(({ amount }) => Number(amount));
  return {
    times: points.map(({ timestamp }) => timestamp),
    series: [{ label: symbol, color: '--accent', kind: 'step', values }],
  };
}

/** The sum of all assets with a price, each as it was seen last. */
function drawUsd(assets: readonly Asset[]): { times: number[]; series: Series[] } {
  const times = [...new Set(assets.flatMap(({ points }) => points.map(({ timestamp }) => timestamp)))].sort(
    (a, b) => a - b,
  );
  const positions = assets.map(() => -1);
  const values = times.map((time) =>
    assets.reduce((sum, { points }, index) => {
      let at = positions[index]!;
      while ((points[at + 1]?.timestamp ?? Number.POSITIVE_INFINITY) <= time) at += 1;
      positions[index] = at;
      return sum + Number(points[at]?.usd ?? 0);
    }, 0),
  );
  return { times, series: [{ label: 'US dollars', color: '--accent', kind: 'step', values }] };
}
