import { Id, List, Shape, Text } from '../../../model/schema.ts';
import { listSignatures } from '../../../services/contracts/listSignatures.ts';
import { endpoint } from '../../http/endpoint.ts';

const signatures = (words: string, example: string) => List(Text('The signature.', example), words);

export const signatureEndpoint = endpoint({
  method: 'GET',
  path: '/contract/{id}/signature',
  tag: 'Contracts',
  summary: 'List functions and events',
  description:
    'What the ABI of a contract names, as signatures to choose from; empty where it was given none.',
  params: Shape({ id: Id('The contract.') }, ['id']),
  reply: Shape(
    {
      functions: signatures('Every function.', 'balanceOf(address account)'),
      writing: signatures('Functions that change something.', 'pause()'),
      events: signatures('Every event.', 'Paused(address account)'),
    },
    ['functions', 'writing', 'events'],
  ),
  effect: 'read',
  problems: ['not-found'],
  handle: async (call, { params }) => ({ body: await listSignatures(call, params.id) }),
});
