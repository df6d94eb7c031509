import type { ChainClient } from '../chains/chainClient.ts';
import { type ChainUid, getChain, setOwnChains } from '../chains/chains.ts';
import { toChainFacts } from '../chains/toChainFacts.ts';
import { createHostQueues } from '../lib/createHostQueues.ts';
import { compileDetector } from '../matching/compileDetector.ts';
import type { Fetch } from '../matching/createReadCache.ts';
import type { BacktestResult } from '../model/backtest.ts';
import type { Keyring } from '../model/keyring.ts';
import { everything } from '../model/principal.ts';
import type { Config } from '../runtime/config/loadConfig.ts';
import { createSandbox } from '../scripts/sandbox.ts';
import { openChains } from '../services/contracts/openChains.ts';
import { readStoredEndpoints } from '../services/contracts/readStoredEndpoints.ts';
import { createMetricRecorder } from '../services/telemetry/createMetricRecorder.ts';
import { findOwnChains } from '../store/contracts/ownChains.ts';
import type { Store } from '../store/db/db.ts';
import { findRecord } from '../store/records/records.ts';
import { detectorTable } from '../store/tables/detectorTable.ts';
import { findBacktestTargets, findDetectorToRun } from '../store/watch/backtests.ts';
import { runBacktest } from '../watch/backtests/runBacktest.ts';
import { openFetchers } from '../watch/reads/openFetchers.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { withKeyring } from './withStore.ts';

/** Runs a stored detector over past blocks and prints what it would have raised. */
export async function backtestCommand(
  { from, to, json }: CommandInput['options'],
  words: readonly string[],
): Promise<number> {
  const [id, fromBlock, toBlock] = [words[0], from, to].map((text) =>
    typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined,
  );
  if (id === undefined || fromBlock === undefined || toBlock === undefined || words.length !== 1) {
    const missing = [
      ...(id === undefined ? ['the id of a detector'] : []),
      ...(fromBlock === undefined ? ['--from with a block'] : []),
      ...(toBlock === undefined ? ['--to with a block'] : []),
      ...(words.length > 1 ? ['no other word than the id'] : []),
    ];
    return refuse(
      `vigil backtest needs ${missing.join(', ')}. Usage: vigil backtest <detector id> --from <block> --to <block> [--json].`,
    );
  }
  if (toBlock < fromBlock) return refuse('--to must not come before --from.');
  return withKeyring({ isNamed: false }, async (store, keyring, config) => {
    setOwnChains(await findOwnChains(store));
    const detector = await findRecord(store, detectorTable, everything, id, ['tenantId']);
    if (!detector) return refuse(`There is no detector ${id}.`);
    const { contract, ...row } = await findDetectorToRun(store, Number(detector.tenantId), id);
    const uid = contract.chainUid;
    const subscriber = compileDetector(row, contract, toChainFacts(getChain(uid)));
    if ('fault' in subscriber) return refuse(subscriber.fault);
    return withClient(store, keyring, config, uid, async (client, fetch) => {
      const progress = createProgress(toBlock - fromBlock + 1);
      const targets = await findBacktestTargets(store, Number(detector.tenantId), id, contract);
      const result = await runBacktest({
        client,
        subscriber,
        fetch,
        fromBlock,
        toBlock,
        targets,
        onProgress: progress,
      });
      process.stdout.write(json === true ? `${JSON.stringify(result, null, 2)}\n` : describe(result!));
      return 0;
    });
  });
}

async function withClient(
  store: Store,
  keyring: Keyring,
  config: Config,
  uid: ChainUid,
  work: (client: ChainClient, fetch: Fetch) => Promise<number>,
): Promise<number> {
  const access = openChains(config.chains, createMetricRecorder(store, Date.now), Date.now);
  access.setStored(
    await readStoredEndpoints(store, keyring, ({ message }) => process.stderr.write(`${message}\n`)),
  );
  const client = access.client(uid);
  if (!client) return refuse(missingEndpoint(uid));
  const sandbox = createSandbox();
  const fetchers = openFetchers({
    store,
    runScripts: sandbox.run,
    runBlockScripts: sandbox.runWithin,
    egress: config.egress,
    hosts: createHostQueues(),
    keyring,
  });
  try {
    return await work(client, fetchers.fetchFor(uid, client));
  } finally {
    await Promise.all([sandbox.close(), fetchers.close(), access.close()]);
  }
}

/** A running Vigil may have the endpoint in its own environment. */
function missingEndpoint(uid: ChainUid): string {
  return (
    `No endpoint of ${uid} is known here: set VIGIL_RPC_${uid.toUpperCase()} in this shell too, ` +
    'or let the running Vigil do it by POST /detector/{id}/backtest.'
  );
}

const width = 40;

/** A bar on a terminal, a line every tenth elsewhere. */
function createProgress(blocks: number): (done: number) => true {
  let printed = -1;
  return (done) => {
    const share = done / blocks;
    const step = Math.floor(share * (process.stderr.isTTY ? 200 : 10));
    if (step === printed) return true;
    printed = step;
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░');
    const text = `${bar} ${done.toLocaleString('en')} of ${blocks.toLocaleString('en')} blocks`;
    process.stderr.write(process.stderr.isTTY ? `\r${text}${done === blocks ? '\n' : ''}` : `${text}\n`);
    return true;
  };
}

function describe(result: BacktestResult): string {
  const severities = Object.entries(result.bySeverity).map(([severity, count]) => `${count} ${severity}`);
  return [
    `${result.alerts} alerts in ${result.blocks} blocks${severities.length > 0 ? ` (${severities.join(', ')})` : ''}, ${result.evaluations} evaluations, ${result.faults} faults.`,
    ...(result.firstFault ? [`First fault: ${result.firstFault}`] : []),
    `It would have notified ${result.notified.length} destinations and fired ${result.fired.length} actions.`,
    ...result.byDay.map(({ ts, count }) => `  ${new Date(ts).toISOString().slice(0, 10)}  ${count}`),
    ...result.samples.map(
      ({ blockNumber, severity, message }) => `  block ${blockNumber}  ${severity}  ${message}`,
    ),
    '',
  ].join('\n');
}
