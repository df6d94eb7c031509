import { type Config, loadConfig } from '../runtime/config/loadConfig.ts';
import { createLog } from '../runtime/createLog.ts';
import { findLostData } from '../runtime/findLostData.ts';
import { type App, startApp } from '../runtime/startApp.ts';

/** npm forwards a signal that the terminal also sends to this process, so that one Ctrl-C arrives twice. */
const sameSignalMs = 1000;
/** Handing over chains to other processes, which share the database of DATABASE_URL, may take a minute. */
const stopWithinMs = ({ databaseUrl }: Config) => (databaseUrl ? 80_000 : 20_000);

/** A start that failed has stopped what it had started. */
const afterFailureMs = 2000;

/** Serves until SIGINT or SIGTERM; a second signal, a while later, does not wait for open requests. */
export async function serve(): Promise<number> {
  const config = loadConfig();
  const log = createLog(config);
  /** Ends a process that does not end by itself; what it leaves is as after `kill -9`, which loses nothing. */
  const endWithin = (ms: number) =>
    setTimeout(() => {
      process.stderr.write(`Vigil did not stop within ${ms / 1000} s, so it ends at once.\n`);
      process.exit(process.exitCode ?? 1);
    }, ms).unref();
  const stopping = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: string) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMs) process.exit(130);
      if (!stopping.signal.aborted) endWithin(stopWithinMs(config));
      stopping.abort();
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);
  });
  const { port, ignoredPort } = config;
  if (ignoredPort !== undefined)
    process.stderr.write(
      `PORT is ${ignoredPort}, but Vigil listens on ${port}: it reads VIGIL_PORT alone.\n`,
    );
  const warning = findLostData(config);
  if (warning !== undefined) log.warn(warning);
  let app: App;
  try {
    app = await startApp(config, log, stopping.signal);
  } catch (error) {
    endWithin(afterFailureMs);
    if (!stopping.signal.aborted) throw error;
    log.debug({ err: error }, 'The start was interrupted');
    process.stderr.write('Stopped before Vigil was ready.\n');
    return 130;
  }
  await Promise.race([greet(app), stopped]);

  const reason = await Promise.race([stopped, app.lost]);
  if (reason instanceof Error) {
    log.fatal({ err: reason }, 'The database is lost; stopping');
    endWithin(stopWithinMs(config));
  } else log.info({ signal: reason }, 'Signal received; finishing open requests and stopping');
  await app.stop();
  log.info('Stopped');
  log.flush();
  if (reason instanceof Error) throw reason;
  return 0;
}

/** The chains come last but for the token, because their nodes are asked first. */
async function greet(app: App): Promise<void> {
  process.stdout.write(`Vigil listens on ${app.url}
  API documents   ${app.url}/docs
  data folder     ${app.dataDir}
  database        ${app.databaseAt}
`);
  const chains = await app.describeChains?.();
  if (chains?.length === 0)
    chains.push('no chain is followed yet: set VIGIL_RPC_ETHEREUM, VIGIL_RPC_BASE, …');
  process.stdout.write(
    (chains ?? []).map((chain, i) => `  ${(i === 0 ? 'chains' : '').padEnd(16)}${chain}\n`).join('') +
      (app.firstAccess ? firstStart(app.firstAccess, app.dataDir) : ''),
  );
}

function firstStart({ token, setupUrl }: { token: string; setupUrl: string }, dataDir: string): string {
  return `
First start. The administrator's token, shown once and kept in ${dataDir}/admin-token:

  ${token}

This link makes the first administrator of the console, once and within an hour:

  ${setupUrl}
`;
}
