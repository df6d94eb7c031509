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
  if (isPlain) {
    const sink = pino.destination({ fd, sync: true });
    return pino(options, { write: (line: string) => void sink.write(toPlainLine(line)) });
  }
  const sink = pino.destination({ fd, sync: false, minLength: 8192 });
  let willFlush = false;
  const flush = () => {
    willFlush = false;
    sink.flush();
  };
  const stream = {
    write(line: string) {
      sink.write(line);
      if (willFlush) return;
      willFlush = true;
      // Not at intervals: without any line the sink would wake up a thread to write nothing.
      setTimeout(flush, flushMs).unref();
    },
    flush: (done?: (error?: Error) => void) => sink.flush(done),
    flushSync: () => sink.flushSync(),
  };
  return pino(options, stream);
}

/** Longest time for which a line waits for others. */
const flushMs = 200;

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
