import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Backtest as BacktestRecord } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { shortenHex, showCount } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { can } from '../../state/session.ts';
import { type Bar, DayBars } from './DayBars.tsx';
import type { BacktestState } from './useBacktest.ts';
import './detectors.css';

const lengths = [100, 1000, 10_000, 100_000];

/** What the detector in the form would have found in the last blocks. */
export function Backtest({ backtest }: { backtest: BacktestState }) {
  const { proposal, length, setLength, isReady, hasRun, run, error, start, cancel } = backtest;
  const { contractId, chainUid } = proposal;
  const processed = chainOf(chainUid)?.processed ?? undefined;
  const isOpen = isUnfinished(run);
  if (!can('POST /detector/backtest')) return null;
  return (
    <section class="card stack" aria-label="Backtest">
      <header>
        <h2>What it would have found</h2>
      </header>
      <div class="row">
        <label class="row still">
          <span class="dim">Last</span>
          <select value={length} onChange={({ currentTarget }) => setLength(Number(currentTarget.value))}>
            {lengths.map((count) => (
              <option key={count} value={count}>
                {showCount(count)} blocks
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={!isReady || isOpen} onClick={start}>
          {hasRun ? 'Run again' : 'Run a backtest'}
        </button>
        {isOpen && run && can('POST /backtest/{uid}/cancel') && (
          <button type="button" class="link" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
      {contractId === undefined && <p class="dim">Choose a contract first.</p>}
      {isReady && processed === undefined && (
        <p class="dim">
          The chain of this contract is not followed, so that there are no blocks to look at. Add an endpoint
          for it in the administration.
        </p>
      )}
      <Problem error={error} />
      {isOpen && run && (
        <div class="stack" role="status">
          <span class="dim small">
            {run.state === 'QUEUED'
              ? 'Waiting for its turn …'
              : `Block ${showCount(run.fromBlock + run.processed)} of ${showCount(run.toBlock)} …`}
          </span>
          <div class="meter">
            <i style={{ width: `${Math.round(run.progress * 100)}%` }} />
          </div>
        </div>
      )}
      {run?.fault && <p class="notice bad foreign">{run.fault}</p>}
      {run?.state === 'CANCELED' && <p class="dim">Cancelled.</p>}
      {run?.result && <Result result={run.result} chainUid={chainUid} />}
    </section>
  );
}

/** How many alerts it would have raised, for beside the button that saves. */
export function BacktestCount({
  backtest: { isReady, length, run, hasRun, error, start },
}: {
  backtest: BacktestState;
}) {
  if (!isReady || !can('POST /detector/backtest')) return null;
  if (!hasRun)
    return (
      <button type="button" class="link" onClick={start}>
        How many alerts in the last {showCount(length)} blocks?
      </button>
    );
  const alerts = run?.result?.alerts;
  return (
    <span role="status" aria-label="Alerts of the backtest">
      {alerts === undefined ? (
        <span class="dim">
          {isUnfinished(run) ? 'Counting alerts …' : error || run?.fault ? 'The backtest failed.' : ''}
        </span>
      ) : (
        <>
          <strong>{showCount(alerts)}</strong> {alerts === 1 ? 'alert' : 'alerts'} in the last{' '}
          {showCount(run?.result?.blocks ?? 0)} blocks
        </>
      )}
    </span>
  );
}

function isUnfinished(run: BacktestRecord | undefined): boolean {
  return run?.state === 'QUEUED' || run?.state === 'RUNNING';
}

type ResultOf = NonNullable<BacktestRecord['result']>;

function Result({ result, chainUid }: { result: ResultOf; chainUid: string | undefined }) {
  const { blocks, transactions, alerts, samples, faults, firstFault } = result;
  const bars = useMemo(() => toBars(result), [result]);
  const [chosen, setChosen] = useState<Bar>();
  useEffect(() => setChosen(undefined), [result]);
  const shown = chosen
    ? samples.filter(({ timestamp }) => timestamp >= chosen.from && timestamp < chosen.to)
    : samples;
  return (
    <>
      <p role="status">
        <strong>{showCount(alerts)}</strong> {alerts === 1 ? 'alert' : 'alerts'} in {showCount(blocks)} blocks
        with {showCount(transactions)} transactions.
      </p>
      {faults > 0 && (
        <p class="notice warn foreign">
          {showCount(faults)} evaluations failed. {firstFault}
        </p>
      )}
      {alerts > 0 && <DayBars bars={bars} chosen={chosen} onChoose={setChosen} />}
      {shown.length > 0 && (
        <ul class="found" aria-label="Alerts that would have been raised">
          {shown.map((sample, index) => (
            <Sample
              key={`${sample.txHash} ${sample.blockNumber} ${index}`}
              sample={sample}
              chainUid={chainUid}
            />
          ))}
        </ul>
      )}
      {chosen && shown.length === 0 && <p class="dim small">The first alerts are kept, and none of these.</p>}
      {alerts > samples.length && <p class="dim small">The first {showCount(samples.length)} are shown.</p>}
      {alerts === 0 && faults === 0 && (
        <p class="dim">Nothing. Look at more blocks, or make it less strict, if you expected something.</p>
      )}
    </>
  );
}

type SampleOf = ResultOf['samples'][number];

/** One alert that would have been raised: its message, and when it is opened all that it would have carried. */
function Sample({ sample, chainUid }: { sample: SampleOf; chainUid: string | undefined }) {
  const { severity, message, timestamp, txHash, meta } = sample;
  return (
    <li>
      <details>
        <summary class="row">
          <Severity value={severity} />
          <span class="foreign grow cut" title={message}>
            {shortenHex(message)}
          </span>
          <span class="dim small">
            <Time at={timestamp} exact />
          </span>
        </summary>
        <div class="stack tight">
          <p class="foreign keep-lines">{shortenHex(message)}</p>
          {txHash && (
            <p class="small">
              <Address value={txHash} chainUid={chainUid} kind="transaction" />
            </p>
          )}
          <Evidence value={meta} chainUid={chainUid ?? null} />
        </div>
      </details>
    </li>
  );
}

const dayMs = 86_400_000;

/** Every day of the time with alerts where there are several, else forty equal parts of it. */
function toBars({ byDay, samples, alerts }: ResultOf): Bar[] {
  if (alerts === 0) return [];
  if (byDay.length > 1 || alerts > samples.length) {
    const counts = new Map(byDay.map(({ ts, count }) => [ts, count]));
    const days = byDay.map(({ ts }) => ts);
    const [first, last] = [Math.min(...days), Math.max(...days)];
    const length = Math.min(400, (last - first) / dayMs + 1);
    return Array.from({ length }, (_, index) => {
      const from = last - (length - 1 - index) * dayMs;
      return { from, to: from + dayMs, count: counts.get(from) ?? 0 };
    });
  }
  const moments = samples.map(({ timestamp }) => timestamp);
  const first = Math.min(...moments);
  const step = Math.max(1000, Math.ceil((Math.max(...moments) - first + 1) / 40));
  const bars = Array.from({ length: 40 }, (_, index) => ({
    from: first + index * step,
    to: first + (index + 1) * step,
    count: 0,
  }));
  for (const moment of moments) bars[Math.min(39, Math.floor((moment - first) / step))]!.count += 1;
  return bars;
}
