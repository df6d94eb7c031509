import { interceptorTypes, type TriggerType, triggerTypes } from '../../../model/enumerations.ts';
import { JsonObject, List, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import { listTriggerTypes } from '../../../services/detectors/listTriggerTypes.ts';
import { endpoint } from '../../http/endpoint.ts';

const triggerType = {
  triggerType: OneOf(Object.keys(triggerTypes) as TriggerType[], 'What it looks for.', 'FUNCTION_CALL'),
  interceptorType: OneOf(interceptorTypes, 'What feeds it.', 'TRANSACTION'),
  description: Text('When it raises its alerts.', 'The contract is called with a function.'),
  fields: Words('Members of what it finds, for messages.', ['from', 'args']),
  paramsSchema: JsonObject('JSON Schema of `params`.', { type: 'object', properties: {} }),
};

export const triggerTypeEndpoint = endpoint({
  method: 'GET',
  path: '/trigger/type',
  tag: 'Triggers',
  summary: 'List the kinds of triggers',
  description: 'Every kind of trigger with the JSON Schema of its `params`, as forms need it.',
  reply: Shape({ data: List(Shape(triggerType, Object.keys(triggerType)), 'Every kind.') }, ['data']),
  effect: 'read',
  handle: async () => ({ body: { data: listTriggerTypes() } }),
});
