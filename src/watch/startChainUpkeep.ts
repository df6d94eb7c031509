import type { Logger } from 'pino';
import type { ChainClient } from '../chains/chainClient.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import type { PipelineOptions } from './commit/createPipelineContext.ts';
import { createPublisher } from './commit/createPublisher.ts';
import type { Pipeline } from './pipeline/createPipeline.ts';
import { createContractInspector } from './subscribers/createContractInspector.ts';

type Options = Pick<PipelineOptions, 'chain' | 'store' | 'watchList' | 'holder' | 'now'> & {
  client: ChainClient;
  log: Logger;
};

const intervalMs = 1000;

/** Work of every second besides the blocks: scheduled detectors, new contracts, the health of endpoints. */
export function startChainUpkeep(
  { chain, client, store, watchList, holder, now, log }: Options,
  pipeline: Pipeline,
  tickedAt: number,
  signal: AbortSignal,
): Stoppable {
  const inspector = createContractInspector(client, store, watchList, now);
  const checkEndpoints = createEndpointCheck(client);
  const publish = createPublisher(store, { chainUid: chain.uid, holder, of: 'endpoints' });
  const warn = (message: string) => (error: unknown) => {
    if (!signal.aborted) log.warn({ err: error, chain: chain.uid }, message);
  };
  const isHealthNews = createHealthNews(client);
  const publishHealth = async (at: number) => {
    if (isHealthNews(at)) await publish(client.health());
  };
  let previousAt = tickedAt;
  const timer = setInterval(() => {
    const time = now();
    watchList.refresh(store).catch(warn('Reading the watch list failed; retrying'));
    pipeline
      .tick(previousAt, time)
      .catch(warn('Scheduled detectors failed; they run again at their next time'));
    checkEndpoints(time).catch(warn('Comparing endpoints failed; retrying'));
    publishHealth(time).catch(warn('Writing the health of endpoints failed; retrying'));
    inspector.start(warn('Inspecting contracts failed; retrying'));
    previousAt = time;
  }, intervalMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all([pipeline.stop(), inspector.stop()]);
    },
  };
}

/** Heads and latencies of endpoints change with every block, and are written this often at most. */
const figuresMs = 5000;

/** Says if the health of endpoints is worth writing: a state or a fault has changed, or the figures were not written for a while. */
function createHealthNews(client: ChainClient): (at: number) => boolean {
  let written = '';
  let writtenAt = 0;
  return (at) => {
    const states = client
      .health()
      .map(({ endpoint, state, faults, lastFault }) => [endpoint, state, faults > 0, lastFault].join(' '))
      .join();
    if (states === written && Math.abs(at - writtenAt) < figuresMs) return false;
    written = states;
    writtenAt = at;
    return true;
  };
}

const checkTroubledMs = 5000;
const checkAllMs = 15_000;
const checkAllBlocks = 50;

/** Troubled endpoints are checked soon, all of them less often, because every check is a call. */
function createEndpointCheck(client: ChainClient): (at: number) => Promise<void> {
  let troubledAt = 0;
  let allAt = 0;
  let allHead = Number.NEGATIVE_INFINITY;
  return async (time) => {
    const isAll = time >= allAt + checkAllMs && client.head() >= allHead + checkAllBlocks;
    if (!isAll && time < troubledAt + checkTroubledMs) return;
    troubledAt = time;
    if (isAll) {
      allAt = time;
      allHead = client.head();
    }
    await client.checkEndpoints(isAll ? 'all' : 'troubled');
  };
}
