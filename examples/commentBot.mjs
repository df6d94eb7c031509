// A bot that says beside every new alert what came before it, so that the one on duty need not search:
// `VIGIL_URL=… VIGIL_TOKEN=… node examples/commentBot.mjs ['severity:HIGH']`. The token needs the role tenant-user.
import { createClient, VigilError } from '@vigil/client';

const dayMs = 24 * 60 * 60 * 1000;
const [query] = process.argv.slice(2);
const vigil = createClient({ url: process.env.VIGIL_URL, token: process.env.VIGIL_TOKEN });
const { tenant } = await vigil.get('/auth/me');
console.log('commenting on new alerts of', tenant?.name ?? 'all tenants');

for await (const { type, alert } of vigil.follow({ query, onState: (state) => console.log(state) })) {
  if (type !== 'raised') continue;
  try {
    const text = await describePast(alert);
    // The same key in every attempt: an alert that is read twice gets one comment.
    const once = { idempotencyKey: `commentBot-${alert.uid}` };
    await vigil.post('/alert/{uid}/comment', { path: { uid: alert.uid }, body: { text }, ...once });
    console.log('commented', alert.uid);
  } catch (error) {
    // One alert that is gone, or a full list of comments, must not end the bot; a token that was revoked should.
    if (!(error instanceof VigilError) || error.status === 401) throw error;
    console.error('no comment on', alert.uid, error.message);
  }
}

async function describePast({ contractId, detectorSchemaName, triggerType, timestamp }) {
  const kind = detectorSchemaName ? `detectorSchemaName:${detectorSchemaName}` : `triggerType:${triggerType}`;
  const { data, total } = await vigil.post('/alert/search', {
    body: {
      query: `contractId:${contractId} AND ${kind} AND timestamp:[${timestamp - dayMs} TO ${timestamp}}`,
      sort: [{ field: 'timestamp', order: 'desc' }],
      size: 1,
    },
  });
  if (total === 0) return 'The first of its kind on this contract within 24 hours.';
  const [last] = data;
  return `${total} of this kind on this contract in the 24 hours before; the last was ${last.severity}: ${last.message.slice(0, 200)}`;
}
