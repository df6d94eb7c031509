import { useEffect, useState } from 'preact/hooks';
import type { Backtest as BacktestRecord } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Chart } from '../../parts/Chart.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { shortenHex, showCount } from '../../state/format.ts';
import { chainOf, chains, loadChains } from '../../state/names.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import './detectors.css';

export type Proposal = {
  contractId: number | undefined;
  schemaId: number | undefined;
  name: string | undefined;
  config: Record<string, unknown> | undefined;
  chainUid: string | undefined;
};

const lengths = [100, 1000, 10_000, 100_000];

/** What the detector in the form would have found in the last blocks; runs again when the form changes. */
export function Backtest({ proposal }: { proposal: Proposal }) {
  const { contractId, schemaId, chainUid } = proposal;
  const [length, setLength] = useState(1000);
  const [hasRun, setHasRun] = useState(false);
  const [run, setRun] = useState<BacktestRecord>();
  const [error, setError] = useState<unknown>();
  const processed = chainOf(chainUid)?.processed ?? undefined;
  const isReady = contractId !== undefined && schemaId !== undefined && chainUid !== undefined;
  const wanted = JSON.stringify([contractId, chainUid, schemaId, proposal.config ?? {}, length]);

  const start = async () => {
    if (!isReady) return;
    setHasRun(true);
    setError(undefined);
    try {
      await loadChains();
      const toBlock = chains.peek().find((chain) => chain.chainUid === chainUid)?.processed ?? 0;
      const { name, config = {} } = proposal;
      const body = { contractId, schemaId, config, ...(name ? { name } : {}) };
      const fromBlock = Math.max(0, toBlock - length + 1);
      setRun(await client.post('/detector/backtest', { body: { ...body, fromBlock, toBlock } }));
    } catch (reason) {
      setError(reason);
    }
  };

  // What is typed is tried once it has rested for a moment.
  useEffect(() => {
    if (!hasRun) return;
    const timer = setTimeout(() => void start(), 900);
    return () => clearTimeout(timer);
  }, [wanted]);

  const isOpen = run?.state === 'QUEUED' || run?.state === 'RUNNING';
  useEffect(() => {
    if (!isOpen || !run) return;
    const controller = new AbortController();
    const timer = setInterval(() => {
      client
        .get('/backtest/{uid}', { path: { uid: run.uid }, signal: controller.signal })
        .then((next) => !controller.signal.aborted && setRun(next), setError);
    }, 700);
    return () => {
      controller.abort();
      clearInterval(timer);
      // A run whose question has changed is of no use any more.
      client.post('/backtest/{uid}/cancel', { path: { uid: run.uid } }).catch(() => undefined);
    };
  }, [run?.uid, isOpen]);

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
          <button
            type="button"
            class="link"
            onClick={() =>
              attempt(async () =>
                setRun(await client.post('/backtest/{uid}/cancel', { path: { uid: run.uid } })),
              )
            }
          >
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

type ResultOf = NonNullable<BacktestRecord['result']>;

function Result({ result, chainUid }: { result: ResultOf; chainUid: string | undefined }) {
  const { blocks, transactions, alerts, samples, faults, firstFault } = result;
  const { times, values, step } = buckets(result);
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
      {alerts > 0 && (
        <Chart
          label="Alerts over time"
          times={times}
          step={step}
          series={[{ label: 'Alerts', color: '--accent', values, kind: 'bars' }]}
          height={110}
        />
      )}
      {samples.length > 0 && (
        <ul class="found" aria-label="Alerts that would have been raised">
          {samples.map(({ severity, message, timestamp, txHash, blockNumber }, index) => (
            <li key={`${txHash} ${blockNumber} ${index}`}>
              <Severity value={severity} />
              <span class="foreign" title={message}>
                {shortenHex(message)}
              </span>
              <span class="dim small">
                <Time at={timestamp} exact />
              </span>
              {txHash && (
                <span class="small link-to">
                  <Address value={txHash} chainUid={chainUid} kind="transaction" />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {alerts > samples.length && <p class="dim small">The first {showCount(samples.length)} are shown.</p>}
      {alerts === 0 && faults === 0 && (
        <p class="dim">Nothing. Look at more blocks, or make it less strict, if you expected something.</p>
      )}
    </>
  );
}

/** Days where there are several, else forty equal parts of the time in which something was found. */
function buckets({ byDay, samples, alerts }: ResultOf) {
  const day = 86_400_000;
  if (byDay.length > 1 || alerts > samples.length)
    return { times: byDay.map(({ ts }) => ts), values: byDay.map(({ count }) => count), step: day };
  const moments = samples.map(({ timestamp }) => timestamp);
  const first = Math.min(...moments);
  const step = Math.max(1000, Math.ceil((Math.max(...moments) - first + 1) / 40));
  const values = Array.from({ length: 40 }, () => 0);
  for (const moment of moments) values[Math.min(39, Math.floor((moment - first) / step))]! += 1;
  return { times: values.map((_, index) => first + index * step), values, step };
}
