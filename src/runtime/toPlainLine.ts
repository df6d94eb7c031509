import { membersOf } from '../lib/isRecord.ts';
import { onOneLine } from '../lib/onOneLine.ts';

const levels: Readonly<Record<string, string>> = {
  10: 'trace',
  20: 'debug',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** A line of the log as people read it on a terminal: `12:04:31 warn: Metrics were not written; retrying (err: timeout)`. */
export function toPlainLine(json: string): string {
  const { level, time, msg, ...rest } = membersOf(JSON.parse(json));
  const word = levels[String(level)];
  const details = Object.entries(rest).map(([name, value]) => `${name}: ${show(value)}`);
  const line = [
    new Date(String(time)).toTimeString().slice(0, 8),
    `${word ? `${word}: ` : ''}${show(msg ?? '')}`,
    ...(details.length > 0 ? [`(${details.join(', ')})`] : []),
  ].join(' ');
  return `${onOneLine(line)}\n`;
}

/** Of an error what it says; its stack is for the JSON form. */
function show(value: unknown): string {
  if (typeof value === 'string') return value;
  const { message } = membersOf(value);
  return typeof message === 'string' ? message : JSON.stringify(value);
}
