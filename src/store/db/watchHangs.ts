import { createHangWatch } from './citus/createHangWatch.ts';
import type { WorkerServer } from './citus/openPlacements.ts';
import { type Hangs, watchWorkers } from './citus/watchWorkers.ts';
import { createProbe } from './createProbe.ts';
import { createSessionEnder } from './createSessionEnder.ts';
import { type Connection, credentialsOf } from './openClient.ts';
import { limits } from './openPool.ts';

/** A server alone is given up later than a worker: nothing else could serve meanwhile. */
const answerMs = 2500;
/** Behind a pooler, where statements of others may take all connections for as long as a statement may take. */
const pooledAnswerMs = limits.statement_timeout + 1000;
/** The time limit of the coordinator to reach a worker. */
const reachMs = 1000;

/** Watches the servers of a database for all pools of a process. `onChange` gets a sentence for the log when a server stops to answer, and when it answers again. */
export function watchHangs(
  config: Connection,
  onChange: (sentence: string, isSilent: boolean) => void,
): Hangs {
  const { hangs: _hangs, ...connection } = config;
  const server = createHangWatch({
    words: 'The database does not answer at the moment; send the request again later.',
    // What a server that is down means is known from the statements themselves.
    probe: createProbe(connection, { text: 'select true as "isOk"', whenRefused: true }),
    answerMs: config.isPooled ? pooledAnswerMs : answerMs,
    isQueued: config.isPooled,
    onChange: (isSilent) =>
      onChange(
        isSilent
          ? 'The database does not answer; requests get 503 until it does'
          : 'The database answers again',
        isSilent,
      ),
  });
  const workers = watchWorkers(
    (worker) => [
      createProbe(
        { ...credentialsOf(connection), host: worker.host, port: worker.port },
        { text: 'select true as "isOk"', whenRefused: false },
      ),
      createProbe(connection, {
        setUp: `set citus.node_connection_timeout = ${reachMs}; set citus.max_cached_conns_per_worker = 0`,
        text: 'select citus_check_connection_to_node($1, $2) as "isOk"',
        values: [worker.host, worker.port],
        whenRefused: false,
      }),
    ],
    (worker, isSilent) => onChange(describe(worker, isSilent), isSilent),
    config.isPooled,
  );
  return {
    server,
    workers,
    abandon: createSessionEnder(connection),
    close() {
      server.close();
      workers.close();
    },
  };
}

function describe({ groupId, host, port }: WorkerServer, isSilent: boolean): string {
  const name = `The database worker ${groupId} (${host}:${port})`;
  return isSilent
    ? `${name} does not answer; its tenants get 503 and their findings wait until it does`
    : `${name} answers again`;
}
