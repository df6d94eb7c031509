import { type Static, Type } from 'typebox';
import { Choice, Configuration, Whole } from '../evidence/parameters.ts';
import { alertRateKind } from '../model/alert.ts';
import { defineDetector } from '../model/detection.ts';
import { familyNames } from '../model/family.ts';

const config = Configuration({
  query: Type.String({
    format: 'alertQuery',
    maxLength: 10_000,
    default: '',
    description:
      'Which alerts count, in the query language of alert searches, such as severity:(HIGH OR CRITICAL). All alerts when it is empty. Alerts of this kind never count.',
  }),
  scope: Choice(
    'Whose alerts count: those of the contract, of all contracts of its project, or of the whole tenant.',
    ['CONTRACT', 'PROJECT', 'TENANT'],
    'CONTRACT',
  ),
  atLeast: Whole('How many alerts within the time make an alert.', 20, 2, 10_000),
  within: Type.String({
    format: 'rateWindow',
    default: '5 min',
    description:
      'The time in which they must happen, by their timestamps; at most 7 days. It slides: any span of this length counts.',
  }),
  groupBy: Type.Optional(
    Type.String({
      format: 'alertMember',
      maxLength: 300,
      description:
        'A member of alerts, such as meta.from, contractId or tags: each value is counted by itself. Alerts without it do not count.',
    }),
  ),
  countDistinct: Type.Optional(
    Type.String({
      format: 'alertMember',
      maxLength: 300,
      description:
        'A member of alerts whose different values are counted instead of the alerts: contractId with atLeast 3 means alerts on three contracts.',
    }),
  ),
});
export type AlertRateConfig = Static<typeof config>;

/** Counts alerts and not blocks: it observes nothing of a chain, and `countLane` does its work. */
export const alertRate = defineDetector<AlertRateConfig, never>({
  name: alertRateKind,
  title: 'Alert rate',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: familyNames,
  severity: 'HIGH',
  description:
    'At least so many alerts that match a query happen within a time, perhaps with the same value of a member, or with so many different ones. One alert when the limit is reached, and the next after fewer were in the time again.',
  faq: 'How do I hear of one sender on three contracts? Set scope to PROJECT or TENANT, groupBy to meta.from, countDistinct to contractId and atLeast to 3.',
  nextStep: 'Open the alerts that were counted, and look for what they have in common.',
  config,
  fields: [
    'count',
    'atLeast',
    'within',
    'query',
    'scope',
    'groupBy',
    'group',
    'countDistinct',
    'values',
    'alerts',
    'firstAt',
    'lastAt',
  ],
  interests: () => [],
  evaluate: () => ({}),
});
