import { prepareInhibition } from '../../../services/destinations/prepareInhibition.ts';
import { inhibitionTable } from '../../../store/tables/inhibitionTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const inhibition = defineResource({
  path: '/inhibition',
  tag: 'Routes',
  about:
    'While an incident with an alert of one query is open, no one is notified of alerts of another query of the same contract. They ' +
    'are stored, searched, streamed and scored as ever, and fire their actions; their outcome names the inhibition. An alert that ' +
    'both queries find is notified, and a CRITICAL one too unless `includeCritical` is true. An alert is judged when it is raised; ' +
    'only where its route repeats is it judged again, so that it is notified once the incident is over.',
  table: inhibitionTable,
  owner: 'tenant',
  limit: 'maxInhibitions',
  prepare: prepareInhibition,
});
