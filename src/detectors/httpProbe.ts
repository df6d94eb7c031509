import { type Static, Type } from 'typebox';
import { withheldBodyMessage } from '../evidence/fetchJson.ts';
import { holdsFor } from '../evidence/holdsFor.ts';
import { Choice, Configuration, Duration, Schedule, WebTarget, Whole } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { cutText } from '../lib/cutText.ts';
import { parseDuration } from '../lib/duration.ts';
import { harmless } from '../lib/harmless.ts';
import { parseSchedule } from '../lib/schedule.ts';
import { defineDetector, type HttpRequest, type HttpResult, type Reader } from '../model/detection.ts';
import { familyNames } from '../model/family.ts';

const config = Configuration(
  {
    url: WebTarget('The address that is asked.', 2000),
    method: Choice('How it is asked.', ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'], 'GET'),
    body: Type.Optional(Type.String({ maxLength: 10_000, description: 'Body of a POST or PUT.' })),
    contentType: Type.String({
      description: 'Type of the body.',
      default: 'application/json',
      minLength: 1,
      maxLength: 200,
    }),
    auth: Type.Optional(
      Type.String({
        // Longer than what may be given (4000), because the sealed form is.
        maxLength: 6000,
        writeOnly: true,
        pattern: '^[\\x20-\\x7e]+$',
        description:
          'Value of the Authorization header, such as Bearer abc, of at most 4000 characters. It is sealed and never shown again.',
      }),
    ),
    statuses: Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
      description: 'Statuses that are right; any from 200 to 299 when none is named.',
      default: [],
      maxItems: 50,
      uniqueItems: true,
    }),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description:
          'Regular expression that the answer must match somewhere in its first 100,000 characters.',
      }),
    ),
    latencyMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60_000,
        description: 'Time limit of the answer in milliseconds.',
      }),
    ),
    timeout: Duration('How long an answer is waited for.', '10 s'),
    samples: Whole('How many looks in a row must go wrong for an alert.', 1, 1, 100),
    cron: Schedule('How often to look, such as "1 min" or "*/5 * * * *".', '1 min'),
  },
  ['url'],
);
type Config = Static<typeof config>;

/** Number of failed polls in a row. */
type State = { readonly wrong?: number };

export const httpProbe = defineDetector<Config, State>({
  name: 'http_probe',
  title: 'HTTP probe',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: familyNames,
  severity: 'HIGH',
  description:
    'An address on the web does not answer, answers with a wrong status, too slowly, or without an expected text. Reported once until it is well again.',
  faq: 'Can it ask addresses in a private network? Only those that the administrator of Vigil has allowed. Of an answer from there nothing but the status is shown; `pattern` needs an allowance for the tenant itself.',
  nextStep:
    'Open the address from another network, then check the server, its certificate and the last release.',
  config,
  fields: ['url', 'method', 'reason', 'samples', 'failure', 'status', 'durationMs', 'answer'],
  interests: ({ cron }) => [{ on: 'clock', schedule: parseSchedule(cron) }],
  evaluate(_observation, { config: settings, contract, state, read }) {
    const answer = read.http(toRequest(settings));
    const problem = examine(read, settings, answer);
    if (!problem) return keepState<State>(state, {});
    // Counting stops after the alert, because each change of state is written.
    const wrong = Math.min((state?.wrong ?? 0) + 1, settings.samples + 1);
    const newState = keepState<State>(state, { wrong });
    if (wrong !== settings.samples) return newState;
    return {
      ...newState,
      detections: [
        {
          message: `${settings.url} (${contract.name}) ${problem.words}.`,
          fields: {
            url: settings.url,
            method: settings.method,
            reason: problem.reason,
            samples: wrong,
            ...('failure' in answer
              ? { failure: answer.failure }
              : {
                  status: answer.status,
                  durationMs: answer.durationMs,
                  ...(answer.internal ? {} : { answer: cutText(answer.body, 200) }),
                }),
          },
        },
      ],
    };
  },
});

function toRequest({ url, method, body, contentType, auth, timeout }: Config): HttpRequest {
  const hasBody = body !== undefined && (method === 'POST' || method === 'PUT');
  return {
    url,
    method,
    headers: {
      ...(hasBody && { 'content-type': contentType }),
      ...(auth !== undefined && { authorization: auth }),
    },
    ...(hasBody && { body }),
    timeoutMs: Math.min(Math.max(parseDuration(timeout), 100), 60_000),
  };
}

/** Characters of an answer in which the pattern is looked for. */
const maxSearched = 100_000;

type Problem = { reason: 'unreachable' | 'status' | 'latency' | 'pattern'; words: string };

function examine(
  read: Reader,
  { statuses, latencyMs, pattern }: Config,
  answer: HttpResult,
): Problem | undefined {
  if ('failure' in answer)
    return { reason: 'unreachable', words: `cannot be reached: ${harmless(answer.failure, 200)}` };
  const { status, durationMs, body, internal } = answer;
  const isRight = statuses.length > 0 ? statuses.includes(status) : status >= 200 && status <= 299;
  if (!isRight) return { reason: 'status', words: `answers with status ${status}` };
  if (latencyMs !== undefined && durationMs > latencyMs)
    return { reason: 'latency', words: `took ${Math.round(durationMs)} ms, more than ${latencyMs} ms` };
  if (pattern !== undefined && internal === 'withheld') throw new Error(withheldBodyMessage);
  // In the sandbox, because a regular expression of a tenant's can be made to run forever.
  const isMatched =
    pattern === undefined ||
    holdsFor(read, 'new RegExp(pattern, "s").test(body)', { pattern, body: body.slice(0, maxSearched) });
  return isMatched ? undefined : { reason: 'pattern', words: `answers without ${pattern}` };
}
