import { startApp } from '../runtime/app.ts';
import { loadConfig } from '../runtime/config/loadConfig.ts';
import { createLog } from '../runtime/createLog.ts';

/** npm passes on what the terminal has sent to everybody, so that one Ctrl-C comes twice. */
const sameMs = 1000;

/** Serves until SIGINT or SIGTERM; a second signal, a while later, does not wait for open requests. */
export async function serve(): Promise<number> {
  const config = loadConfig();
  const log = createLog(config);
  const stopped = new Promise<string>((resolve) => {
    let since: number | undefined;
    const onSignal = (signal: string) => {
      since ??= performance.now();
      if (performance.now() - since > sameMs) process.exit(130);
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);
  });
  const app = await startApp(config, log);
  const first = app.firstToken;
  process.stdout.write(`Vigil listens on ${app.url}
  API documents   ${app.url}/docs
  data folder     ${app.dataDir}
  database        ${app.databaseAt}
${first ? `\nFirst start. The administrator's token, shown once and kept in ${app.dataDir}/admin-token:\n\n  ${first}\n` : ''}`);

  const reason = await Promise.race([stopped, app.lost]);
  if (reason instanceof Error) log.fatal({ err: reason }, 'Stopping: the database is lost');
  else log.info({ signal: reason }, 'Stopping: finishing open requests');
  await app.stop();
  log.info('Stopped');
  log.flush();
  if (reason instanceof Error) throw reason;
  return 0;
}
