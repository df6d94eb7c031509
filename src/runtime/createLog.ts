import pino, { type Logger } from 'pino';
import type { Config } from './config/loadConfig.ts';

/** Structured lines on standard error; standard output is for people. Under load many lines go out in one write. */
export function createLog(config: Pick<Config, 'logLevel'>, fd = 2): Logger {
  return pino(
    { level: config.logLevel, base: null, timestamp: createTimestamp() },
    pino.destination({ fd, sync: false, minLength: 8192, periodicFlush: 200 }),
  );
}

/** Under load many lines fall into one millisecond, so the text is formatted once for all of them. */
function createTimestamp(): () => string {
  let formattedAt = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== formattedAt) text = `,"time":"${new Date(now).toISOString()}"`;
    formattedAt = now;
    return text;
  };
}
