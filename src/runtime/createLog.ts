import { isatty } from 'node:tty';
import pino, { type Logger } from 'pino';
import type { Config } from './config/loadConfig.ts';
import { toPlainLine } from './toPlainLine.ts';

type Options = Pick<Config, 'logLevel'> & Partial<Pick<Config, 'logFormat'>>;

/**
 * Lines on standard error, where programs read JSON and people plain text; standard output is for people. Under load many lines go out
 * in one write.
 */
export function createLog({ logLevel, logFormat = 'auto' }: Options, fd = 2): Logger {
  const isPlain = logFormat === 'text' || (logFormat === 'auto' && isatty(fd));
  const options = { level: logLevel, base: null, timestamp: createTimestamp() };
  const sink = pino.destination({ fd, sync: isPlain, minLength: isPlain ? 0 : 8192, periodicFlush: 200 });
  return pino(options, isPlain ? { write: (line: string) => void sink.write(toPlainLine(line)) } : sink);
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
