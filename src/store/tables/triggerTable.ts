import { Type } from 'typebox';
import { interceptorTypes, severities, type TriggerType, triggerTypes } from '../../model/enumerations.ts';
import { Id, JsonObject, Name, OneOf, Text, Words } from '../../model/schema.ts';
import { actionTable } from './actionTable.ts';
import {
  bindingFields,
  guidanceFields,
  idField,
  scriptFields,
  searchedTenant,
  statusField,
  timeFields,
} from './commonFields.ts';
import { boundDestination } from './destinationTable.ts';
import { bindings, createOnly, editable, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const alertFields = {
  ...bindingFields,
  severity: editable(OneOf(severities, 'How bad it is.', 'HIGH'), { required: true }),
  name: editable(Name('Name of the alert.', 'Large withdrawal'), { required: true }),
  message: editable(
    Text(
      'Message of the alert. {member} stands for a member of what the trigger finds, or for severity, ' +
        'name, timestamp, txHash and other members of the alert; one that it cannot have is refused, and the ' +
        'refusal lists those that it can.',
      'Somebody withdrew {args.amount}.',
      { max: 10_000 },
    ),
  ),
  destinations: bindings(
    'Destinations that the alert is sent to.',
    { table: 'trigger_alert_destination', parent: 'trigger_alert_id' },
    { ...bindingFields, ...boundDestination('without type') },
    { notNull: true },
  ),
  actions: bindings(
    'Actions that the alert fires.',
    { table: 'action_trigger_alert', parent: 'trigger_alert_id' },
    {
      ...bindingFields,
      ...scriptFields,
      actionId: editable(Id('The action to fire.'), { required: true, references: () => actionTable }),
    },
    { notNull: true },
  ),
};

export const triggerTable = defineTable({
  kind: 'trigger',
  name: '"trigger"',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    contractId: createOnly(Id('The contract that is watched.'), { required: true }),
    name: editable(Name('What to call it.', 'Withdrawals'), { required: true }),
    triggerType: editable(
      Type.Unsafe<TriggerType>(OneOf(Object.keys(triggerTypes), 'What it looks for.', 'FUNCTION_CALL')),
      { required: true },
    ),
    interceptorType: readOnly(
      OneOf(interceptorTypes, 'What feeds it; follows from `triggerType`.', 'TRANSACTION'),
      { notNull: true },
    ),
    params: editable(JsonObject('Parameters of the condition.', { signature: 'withdraw(uint256)' }), {
      default: {},
    }),
    tags: editable(Words('Free labels.', ['treasury']), { default: [] }),
    ...guidanceFields,
    alerts: bindings(
      'Alerts that it raises.',
      { table: 'trigger_alert', parent: 'trigger_id', alias: 'a' },
      alertFields,
      { default: [] },
    ),
  },
  searched: searchedTenant,
  visible: byTenant,
  writable: byTenant,
  unbinds: [{ table: 'trigger_alert', column: 'trigger_id' }],
});
