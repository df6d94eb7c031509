import { createLog, startApp } from '../app.ts';
import { loadConfig } from '../config.ts';

/** Serves until SIGINT or SIGTERM; a second signal does not wait for open requests. */
export async function serve(): Promise<number> {
  const config = loadConfig();
  const log = createLog(config);
  const stopped = new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
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
  for (const again of ['SIGINT', 'SIGTERM'] as const) process.once(again, () => process.exit(130));
  await app.stop();
  log.info('Stopped');
  log.flush();
  if (reason instanceof Error) throw reason;
  return 0;
}
