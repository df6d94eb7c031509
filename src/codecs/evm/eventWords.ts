import type { Log } from '../../model/block.ts';
import type { EventItem } from './abi.ts';
import { logWords } from './words.ts';

/**
 * The words of an event by the names of its values, enough for values of fixed size; it never fails. Contracts index
 * the same event differently, so the log decides.
 */
export function eventWords(
  event: EventItem,
  log: Pick<Log, 'indexed' | 'data'>,
): Record<string, string | undefined> {
  const indexed = event.inputs.filter((input) => input.indexed);
  const isAsDeclared = indexed.length === log.indexed.length;
  const order = isAsDeclared ? [...indexed, ...event.inputs.filter((input) => !input.indexed)] : event.inputs;
  const words = logWords(log);
  return Object.fromEntries(order.map(({ name }, index) => [name, words[index]]));
}
