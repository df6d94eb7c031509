import { Type } from 'typebox';
import { severities } from '../../../model/enumerations.ts';
import { Count, Flag, Id, List, Millis, nullable, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import { readScore } from '../../../services/scores/readScore.ts';
import { resumeScoring } from '../../../services/scores/resumeScoring.ts';
import { tagScore } from '../../../services/scores/tagScore.ts';
import { type Trial, tryLicense } from '../../../services/scores/tryLicense.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { checkIfMatch, etagOf } from '../../http/etag.ts';
import { documentUpdate } from '../records/documentUpdate.ts';
import { instance } from './instance.ts';
import { scoreChange, scoreChangeNames, scoreChangeSchema } from './scoreSearchEndpoint.ts';

const tag = 'Licenses and scores';
const text = (description: string, example: string) => Text(description, example, { max: 100_000 });
const number = (description: string, example: number) => Type.Number({ description, examples: [example] });
const instanceId = Shape({ id: Id('The license instance.') }, ['id']);
const scoreGroup = text('The score group.', 'security');
const alertId = nullable(text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'));

const fault = {
  script: OneOf(['groupScript', 'scoreScript', 'params'], 'Where the fault lies.', 'scoreScript'),
  code: OneOf(['syntax', 'time', 'memory', 'thrown', 'result'], 'What kind of fault it is.', 'thrown'),
  message: text('What went wrong.', "line 1, column 6: cannot read property 'bar' of undefined"),
  line: nullable(Count('Line of the script.', 1)),
  column: nullable(Count('Column of that line.', 6)),
  at: Millis('When it happened.'),
  alertId,
};
const faultReply = (description: string) =>
  nullable(Type.Unsafe({ ...Shape(fault, Object.keys(fault)), description }));

const present = {
  scoreGroup,
  title: nullable(text('Title of the group.', 'Security')),
  score: number('The present score.', 93),
  min: nullable(number('The least it can be.', 0)),
  max: nullable(number('The most it can be.', 100)),
  changes: Count('How often it has changed.', 12, Number.MAX_SAFE_INTEGER),
  changedAt: nullable(Millis('Time of the last change.')),
};
const point = {
  ts: Millis('The moment.'),
  bucket: Type.Unsafe<Record<string, number>>({
    type: 'object',
    description: 'The score of each group at that moment.',
    additionalProperties: { type: 'number', description: 'The score.' },
    examples: [{ security: 93 }],
  }),
};
const score = {
  licenseId: Id('The license.'),
  version: text('Its version.', '1.0.0'),
  state: OneOf(
    ['SCORING', 'STOPPED', 'INACTIVE'],
    'STOPPED: a script failed, and alerts wait until it is mended. INACTIVE: not licensed, disabled, outside of every period, or without a score script.',
    'SCORING',
  ),
  fault: faultReply('Why scoring stands still.'),
  waiting: Count('Events that are not scored yet, counted up to 10,000.', 0),
  data: List(Shape(present, Object.keys(present)), 'The present score of each group.'),
  history: List(
    Shape(point, ['ts', 'bucket']),
    'For a chart: the scores at `from`, then after each stretch of time in which one changed.',
  ),
};

const tried = {
  type: OneOf(['alert', 'tick'], 'What made the change.', 'alert'),
  timestamp: Millis('When the alert was raised or the clock ticked.'),
  alertId,
  alertName: nullable(text('Name of the alert.', 'Ownership changed')),
  severity: nullable(OneOf(severities, 'Severity of the alert.', 'HIGH')),
  scoreGroup,
  score: number('The score after the change.', 93),
  scoreChange: number('The change.', -7),
  key: text('Name of the output of the script.', 'penalty'),
  value: number('Value of that output.', 7),
};
const trial = {
  events: Count('Alerts and ticks that were gone through.', 12),
  isComplete: Flag('False if there are more: at most 1,000 are tried, for at most 5 seconds.'),
  fault: faultReply('Where a script failed, which ended the trial.'),
  groups: List(
    Shape({ scoreGroup, score: number('The score in the end.', 93) }, ['scoreGroup', 'score']),
    'The score of each group in the end.',
  ),
  data: List(Shape(tried, Object.keys(tried)), 'The changes in order.'),
};
const script = (description: string, example: string) =>
  nullable(Text(description, example, { max: 100_000 }));

const tagging = documentUpdate(scoreChange, { tags: Words('Free labels.', ['viewed']) });

/** Endpoints of scores beside searching their changes. */
export const scoreEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/instance/{id}/score',
    tag,
    summary: 'Read the present scores of a license instance',
    description: 'With their history, drawn from `points` stretches of time at most.',
    params: instanceId,
    query: Type.Unsafe<{ from?: number; to?: number; points?: number }>(
      Shape(
        {
          from: Millis('Start of the history; 30 days before its end if left out.', 1_792_108_800_000),
          to: Millis('End of the history; now if left out.'),
          points: Type.Integer({
            description: 'At most this many stretches of time; 200 if left out.',
            minimum: 1,
            maximum: 1000,
            examples: [200],
          }),
        },
        [],
      ),
    ),
    reply: Shape(score, Object.keys(score)),
    effect: 'read',
    isReport: true,
    problems: ['not-found'],
    handle: async (call, { params, query }) => ({ body: await readScore(call, params.id, query) }),
  }),
  endpoint({
    method: 'POST',
    path: '/instance/{id}/resume',
    tag,
    summary: 'Score again after a fault',
    description:
      'Tries again what a failing script has stopped. A change of the license, or moving the instance to another version, does so by itself.',
    params: instanceId,
    reply: Shape({ id: Id('The license instance.') }, ['id']),
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: await resumeScoring(call, instance.kind, params.id) }),
  }),
  endpoint({
    method: 'PUT',
    path: '/score/{index}/{uid}',
    tag,
    summary: 'Tag a score change',
    description: 'Members set by Vigil may be sent back as they were read.',
    params: Shape(
      {
        index: Text('The partition it lives in.', 'score-2026.11', { max: 100 }),
        uid: Text('The score change.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }),
      },
      ['index', 'uid'],
    ),
    body: tagging.body,
    reply: scoreChangeSchema,
    effect: 'change',
    problems: ['not-found', 'precondition-failed'],
    handle: async (call, { params, body, headers }) => {
      const change = await tagScore(call, params, body.tags, scoreChangeNames, (current) => {
        checkIfMatch(headers.ifMatch, 'score change', (etag) => etag === etagOf(JSON.stringify(current)));
        tagging.check(body, current);
      });
      return { body: change, etagOf: change };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/license/{id}/try',
    tag,
    summary: 'Try the scripts of a license on past alerts',
    description:
      'What the scores of a project would have been. Params and scripts in the body take the place of those of the license. Nothing is stored.',
    params: Shape({ id: Id('The license.') }, ['id']),
    body: Type.Unsafe<Trial>(
      Shape(
        {
          projectId: Id('The project whose alerts are tried.'),
          from: Millis('Start of the time; 30 days before its end if left out.', 1_792_108_800_000),
          to: Millis('End of the time; now if left out.'),
          params: script('Params to try.', '{"min":0,"max":100}'),
          groupScript: script('Group script to try.', "['security']"),
          scoreScript: script('Score script to try.', '-e.numericSeverity / 10'),
        },
        ['projectId'],
      ),
    ),
    reply: Shape(trial, Object.keys(trial)),
    effect: 'read',
    isReport: true,
    problems: ['not-found', 'unprocessable', 'invalid-query'],
    handle: async (call, { params, body }) => ({ body: await tryLicense(call, params.id, body) }),
  }),
];
