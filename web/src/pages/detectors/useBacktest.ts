import { useEffect, useState } from 'preact/hooks';
import type { Backtest as BacktestRecord } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import { chains, loadChains } from '../../state/names.ts';
import { attempt } from '../../state/toasts.ts';

export type Proposal = {
  contractId: number | undefined;
  schemaId: number | undefined;
  name: string | undefined;
  config: Record<string, unknown> | undefined;
  chainUid: string | undefined;
  /** Something was chosen or typed that is worth a run. */
  isEdited: boolean;
};

export type BacktestState = {
  proposal: Proposal;
  /** How many of the last blocks are looked at. */
  length: number;
  setLength(length: number): void;
  isReady: boolean;
  hasRun: boolean;
  run: BacktestRecord | undefined;
  error: unknown;
  start(): Promise<void>;
  cancel(): Promise<unknown>;
};

/** A run of the detector in a form over the last blocks; it runs by itself as the form is filled in, and again when it changes. */
export function useBacktest(proposal: Proposal): BacktestState {
  const { contractId, schemaId, chainUid } = proposal;
  const [length, setLength] = useState(1000);
  const [hasRun, setHasRun] = useState(false);
  const [run, setRun] = useState<BacktestRecord>();
  const [error, setError] = useState<unknown>();
  const isReady = contractId !== undefined && schemaId !== undefined && chainUid !== undefined;
  /** Without blocks a run would only fail. */
  const isFollowed =
    isReady && chains.value.some((chain) => chain.chainUid === chainUid && (chain.processed ?? 0) > 0);
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
    if (!hasRun && !(proposal.isEdited && isFollowed)) return;
    const timer = setTimeout(() => void start(), 900);
    return () => clearTimeout(timer);
  }, [wanted, hasRun || (proposal.isEdited && isFollowed)]);

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

  const cancel = () =>
    attempt(
      async () => run && setRun(await client.post('/backtest/{uid}/cancel', { path: { uid: run.uid } })),
    );
  return { proposal, length, setLength, isReady, hasRun, run, error, start, cancel };
}
