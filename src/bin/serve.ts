import { loadConfig } from '../runtime/config/loadConfig.ts';
import { createLog } from '../runtime/createLog.ts';
import { startApp } from '../runtime/startApp.ts';

/** npm forwards a signal that the terminal also sends to this process, so that one Ctrl-C arrives twice. */
const sameSignalMs = 1000;

/** Serves until SIGINT or SIGTERM; a second signal, a while later, does not wait for open requests. */
export async function serve(): Promise<number> {
  const config = loadConfig();
  const log = createLog(config);
  const stopped = new Promise<string>((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: string) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMs) process.exit(130);
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);
  });
  const app = await startApp(config, log);
  const { firstAccess } = app;
  process.stdout.write(`Vigil listens on ${app.url}
  API documents   ${app.url}/docs
  data folder     ${app.dataDir}
  database        ${app.databaseAt}
${firstAccess ? firstStart(firstAccess, app.dataDir) : ''}`);

  const reason = await Promise.race([stopped, app.lost]);
  if (reason instanceof Error) log.fatal({ err: reason }, 'The database is lost; stopping');
  else log.info({ signal: reason }, 'Signal received; finishing open requests and stopping');
  await app.stop();
  log.info('Stopped');
  log.flush();
  if (reason instanceof Error) throw reason;
  return 0;
}

function firstStart({ token, setupUrl }: { token: string; setupUrl: string }, dataDir: string): string {
  return `
First start. The administrator's token, shown once and kept in ${dataDir}/admin-token:

  ${token}

This link makes the first administrator of the console, once and within an hour:

  ${setupUrl}
`;
}
