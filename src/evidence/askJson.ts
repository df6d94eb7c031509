import { cutText } from '../lib/cutText.ts';
import type { Reader } from '../model/detection.ts';
import { withheldBody } from './withheldBody.ts';

/** What an address answers as JSON, or why there is nothing. */
export function askJson(
  read: Reader,
  url: string,
  accept = 'application/json',
): { document: unknown } | { failure: string } {
  const answer = read.http({ url, method: 'GET', headers: { accept }, timeoutMs: 10_000 });
  if ('failure' in answer) return { failure: `${url} cannot be asked: ${answer.failure}` };
  if (answer.status < 200 || answer.status > 299)
    return { failure: `${url} answers with status ${answer.status}.` };
  if (answer.internal === 'withheld') return { failure: `${url} cannot be used. ${withheldBody}` };
  try {
    return { document: JSON.parse(answer.body) as unknown };
  } catch {
    const shown = answer.internal ? '' : `: ${cutText(answer.body, 80)}`;
    return { failure: `${url} does not answer in JSON${shown}` };
  }
}
