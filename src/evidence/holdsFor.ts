import { cutText } from '../lib/cutText.ts';
import type { Reader } from '../model/detection.ts';
import { ScriptTimeout } from '../model/scriptTimeout.ts';

/** True if a tenant's expression holds for these values; a script that fails, or gives no answer, is an error. */
export function holdsFor(
  read: Reader,
  expression: string,
  values: Readonly<Record<string, unknown>>,
): boolean {
  if (expression.trim() === 'true') return true;
  const value = runScript(read, expression, values);
  if (typeof value === 'boolean') return value;
  throw new Error(`The expression must give true or false, but it gave ${shown(value)}: ${expression}`);
}

export function runScript(read: Reader, source: string, values: Readonly<Record<string, unknown>>): unknown {
  const result = read.script(source, values);
  if ('value' in result) return result.value;
  const { code, message, line, column } = result.fault;
  const position =
    line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  const text = `The script failed: ${message}${position}`;
  throw code === 'time' ? new ScriptTimeout(text) : new Error(text);
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return isPlain ? `${cutText(String(value), 80)} (${typeof value})` : 'an object';
}
