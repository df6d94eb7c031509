import { Type } from 'typebox';
import { interceptorTypes, severities, type TriggerType, triggerTypes } from '../../../model/enumerations.ts';
import { prepareTrigger } from '../../../services/detectors/prepareTrigger.ts';
import { contractTable } from '../../../store/contracts/contractTable.ts';
import { triggerTable } from '../../../store/detectors/triggerTable.ts';
import { bindings, fixed, given, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, JsonObject, Name, nullable, OneOf, Text, Words } from '../../http/schema.ts';
import { boundDestinationWithoutType } from '../destinations/destination.ts';
import { bindingId, destinationBinding, scriptFilter, scriptParams } from '../records/bindingItems.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

const alertMembers = {
  severity: OneOf(severities, 'How bad it is.', 'HIGH'),
  name: Name('Name of the alert.', 'Large withdrawal'),
  message: nullable(
    Text(
      'Message of the alert. {member} stands for a member of what the trigger finds, or for severity, name, timestamp, txHash and other members of the alert; one that it cannot have is refused, and the refusal lists those that it can.',
      'Somebody withdrew {args.amount}.',
      { max: 10_000 },
    ),
  ),
};
const actionId = Id('The action to fire.');
const alertBindings = {
  destinations: bindings(
    'Destinations that the alert is sent to.',
    destinationBinding,
    { ...bindingId, tenantDestination: boundDestinationWithoutType },
    ['tenantDestinationId'],
  ),
  actions: bindings(
    'Actions that the alert fires.',
    { scriptFilter, scriptParams, actionId },
    { ...bindingId, scriptFilter, scriptParams, actionId },
    ['actionId'],
  ),
};

export const trigger = defineResource({
  path: '/trigger',
  tag: 'Triggers',
  noun: 'trigger',
  about: 'A trigger raises its alerts when a simple condition on a contract holds.',
  table: triggerTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxTriggers',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    contractId: fixed(Id('The contract that is watched.'), { required: true }),
    name: given(Name('What to call it.', 'Withdrawals'), { required: true }),
    triggerType: given(
      Type.Unsafe<TriggerType>(OneOf(Object.keys(triggerTypes), 'What it looks for.', 'FUNCTION_CALL')),
      { required: true },
    ),
    interceptorType: output(
      OneOf(interceptorTypes, 'What feeds it; follows from `triggerType`.', 'TRANSACTION'),
      { always: true },
    ),
    params: given(JsonObject('Parameters of the condition.', { signature: 'withdraw(uint256)' }), {
      default: {},
    }),
    tags: given(Words('Free labels.', ['treasury']), { default: [] }),
    alerts: given(
      bindings(
        'Alerts that it raises.',
        { ...alertMembers, ...alertBindings },
        { ...bindingId, ...alertMembers, ...alertBindings },
        ['severity', 'name'],
      ),
      { default: [] },
    ),
  },
  prepare: prepareTrigger,
});
