import { Type } from 'typebox';
import { Count, Id, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { readFaults } from '../../../services/records/readFaults.ts';
import { faultKinds, faultStates } from '../../../store/records/faults.ts';
import { endpoint } from '../../http/endpoint.ts';

const kind = (description: string) => OneOf(faultKinds, description, 'detector');
const state = (description: string) => OneOf(faultStates, description, 'FAILING');
const fault = {
  tenantId: Id('The tenant.'),
  kind: kind('Kind of record.'),
  id: Id('The record.'),
  name: nullable(Text('Its name, or its address; null where it has none.', 'Ownership')),
  state: state(
    'FAILING: Vigil tries again. SWITCHED_OFF: it stands still until a person acts. LATE: it waits for something. INCOMPLETE: ' +
      'it was never set up. FAILED: calls ended so within the last day. UNDER_WAY: calls go on without trouble.',
  ),
  reason: Text('The fault.', 'The call reverts.'),
  advice: Text('The remedy.', 'If the reason stays, correct its configuration.'),
  count: Count('Faults in a row, blocks or calls, by what it is about.', 3),
  since: Millis('Since when.'),
  at: Millis('When it happened last.'),
};
type Query = {
  tenantId?: number;
  kind?: (typeof faultKinds)[number];
  state?: (typeof faultStates)[number];
  from?: number;
  size?: number;
};

export const faultEndpoint = endpoint({
  method: 'GET',
  path: '/fault',
  tag: 'Faults',
  summary: 'List what needs attention',
  description:
    'Detectors, triggers, destinations, actions, wallets and license instances that fail, were switched off by Vigil, are late or ' +
    'were never set up, calls that are under way, and tenants whose findings cannot be stored; newest first, with the reason and what to do.',
  query: Type.Unsafe<Query>(
    Shape(
      {
        tenantId: Id('The tenant; all that you may see if left out.'),
        kind: kind('Only of this kind.'),
        state: state('Only in this state.'),
        from: Count('Skip this many.', 0),
        size: Type.Integer({
          description: 'At most this many; 10 if left out.',
          minimum: 0,
          maximum: 1000,
          examples: [10],
        }),
      },
      [],
    ),
  ),
  reply: Shape(
    {
      data: List(Shape(fault, Object.keys(fault)), 'The page.'),
      total: Count('How many there are; 0 on a page beyond the last one.', 1),
    },
    ['data', 'total'],
  ),
  effect: 'read',
  isReport: true,
  problems: ['not-found'],
  handle: async (call, { query: { tenantId, kind, state, from = 0, size = 10 } }) => ({
    body: await readFaults(call, { tenantId, kind, state, from, size }),
  }),
});
