import { cutText } from '../lib/cutText.ts';
import type { Reader } from '../model/detection.ts';

/** The JSON document at a URL, or the reason why there is none. */
export function fetchJson(
  read: Reader,
  url: string,
  accept = 'application/json',
): { document: unknown } | { failure: string } {
  const answer = read.http({ url, method: 'GET', headers: { accept }, timeoutMs: 10_000 });
  if ('failure' in answer) return { failure: `${url} cannot be asked: ${answer.failure}` };
  if (answer.status < 200 || answer.status > 299)
    return { failure: `${url} answers with status ${answer.status}.` };
  if (answer.internal === 'withheld') return { failure: `${url} cannot be used. ${withheldBodyMessage}` };
  try {
    const document: unknown = JSON.parse(answer.body);
    return { document };
  } catch {
    const shown = answer.internal ? '' : `: ${cutText(answer.body, 80)}`;
    return { failure: `${url} does not answer in JSON${shown}` };
  }
}

/** The member that a path such as `data.prices[0].usd` leads to; throws when a step is missing. */
export function valueAtPath(document: unknown, path: string): unknown {
  let value = document;
  let walked = '';
  for (const [step] of path.matchAll(/[^.[\]]+/g)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw new Error(`The answer has no ${step} at ${walked || 'its top'} (path ${path}).`);
    value = Reflect.get(value, step);
    walked = walked === '' ? step : `${walked}.${step}`;
  }
  return value;
}

/** The reason why a detector cannot use a response from a network that every tenant may reach. */
export const withheldBodyMessage =
  'The address is in a private network, of whose answers only the status is used; an operator can allow the network to this tenant with VIGIL_ALLOW_NETWORKS.';
