import { prepareSilence } from '../../../services/destinations/prepareSilence.ts';
import { silenceTable } from '../../../store/tables/silenceTable.ts';
import { timeSetTable } from '../../../store/tables/timeSetTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const silence = defineResource({
  path: '/silence',
  tag: 'Silences',
  about:
    'Alerts of which no destination is notified for a time, mail, chat and webhooks alike. They are stored, searched, streamed ' +
    'and scored as ever, and fire their actions; the outcome of an alert names the silence. CRITICAL alerts are notified unless ' +
    '`includeCritical` is true. A silence ends by the clock alone, at most 90 days after it begins. It cannot be deleted: `to` in ' +
    'the past ends it now, a later `to` extends it, and it stays on record. An alert is judged when it is raised; its retraction ' +
    'and resolution are as silent as it was.',
  table: silenceTable,
  owner: 'tenant',
  limit: 'maxSilences',
  references: { timeSetId: timeSetTable },
  without: ['delete'],
  prepare: prepareSilence,
});
