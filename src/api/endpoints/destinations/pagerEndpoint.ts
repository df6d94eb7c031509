import { Problem } from '../../../model/errors.ts';
import { Flag, Id, OneOf, Shape } from '../../../model/schema.ts';
import { applyPagerEvent, pagerOutcomes } from '../../../services/alerts/applyPagerEvent.ts';
import { endpoint } from '../../http/endpoint.ts';

const maxBytes = 256 * 1024;

export const pagerEndpoint = endpoint({
  method: 'POST',
  path: '/destination/{id}/callback',
  tag: 'Destinations',
  summary: 'Take a callback of a pager',
  description:
    'PagerDuty sends its webhooks (v3) of a service here, signed in `X-PagerDuty-Signature` with the secret in the setting `webhookSecret` of the ' +
    'destination. What someone acknowledges, resolves or reopens there is done here too. An event counts once, and only if none that is newer came before.',
  params: Shape({ id: Id('The destination.') }, ['id']),
  file: {
    description: 'The event as PagerDuty wrote it, because the signature is of its bytes.',
    example: '{"event":{"id":"01","event_type":"incident.acknowledged"}}',
    read: readBytes,
  },
  reply: Shape(
    {
      applied: Flag('Whether something changed.'),
      outcome: OneOf(
        pagerOutcomes,
        'applied; ignored: about something else; stale: older than a day; replayed: it came before; overtaken: a newer one came before; unchanged: Vigil said so already.',
        'applied',
      ),
    },
    ['applied', 'outcome'],
  ),
  effect: 'change',
  problems: ['not-found', 'too-large'],
  handle: async (call, { params, file, headers }) => {
    const outcome = await applyPagerEvent(call, params.id, { body: file, signature: headers.pagerSignature });
    return { body: { applied: outcome === 'applied', outcome } };
  },
});

async function readBytes(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > maxBytes) throw new Problem('too-large', `An event has at most ${maxBytes} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
