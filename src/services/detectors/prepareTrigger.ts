import { templateMembers } from '../../model/alert.ts';
import { triggerTypes } from '../../model/enumerations.ts';
import { invalidInput, withDefaults } from '../../model/validate.ts';
import type { Row } from '../../store/records/records.ts';
import type { triggerTable } from '../../store/tables/triggerTable.ts';
import { triggers } from '../../triggers/triggers.ts';
import { changedBindings } from '../actions/changedBindings.ts';
import { checkSourceScripts } from '../actions/checkBindingScripts.ts';
import type { Call } from '../call.ts';
import { findAbi } from '../contracts/findAbi.ts';
import { checkBindingFilters } from '../destinations/checkBindingFilters.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';
import { bindingScripts, scriptFaults } from '../records/scriptFaults.ts';
import { templateFaults } from '../records/templateFaults.ts';
import { checkAddresses } from './checkAddresses.ts';
import { checkFamily } from './checkFamily.ts';

type TriggerChange = ChangeOf<typeof triggerTable>;

/** The observation of a trigger follows from its type, and so do the rules for its parameters. */
export async function prepareTrigger(call: Call, change: TriggerChange): Promise<Row> {
  const { input } = change;
  for (const [index, { destinations }] of (input.alerts ?? []).entries()) {
    const pointer = `/alerts/${index}/destinations`;
    await checkBindingFilters(call, change.tenantId, 'trigger_alert_destination', destinations, pointer);
  }
  if (input.alerts) await checkScripts(call, change);
  if (input.triggerType != null || input.params !== undefined) await checkParams(call, change);
  if (input.triggerType != null || input.alerts !== undefined) checkMessages(change);
  return input.triggerType == null ? input : { ...input, interceptorType: triggerTypes[input.triggerType] };
}

/** Scripts of actions that its alerts fire. */
async function checkScripts(call: Call, change: TriggerChange): Promise<void> {
  const { triggerType, alerts } = change.current ? { ...change.current, ...change.input } : change.input;
  const faults = await scriptFaults(
    call,
    alerts.flatMap(({ actions }, index) => bindingScripts(actions, `/alerts/${index}/actions`)),
  );
  if (faults.length > 0) throw invalidInput(faults);
  const stored = new Map(change.current?.alerts.map((alert) => [alert.id, alert]));
  for (const [index, { id, actions }] of alerts.entries()) {
    const before = id === undefined ? undefined : stored.get(id)?.actions;
    const changed = changedBindings(actions, before, `/alerts/${index}/actions`);
    await checkSourceScripts(call, tenantOf(change), { kind: 'trigger', id, type: triggerType }, changed);
  }
}

/** Messages that stay are checked too when the trigger becomes one of another type. */
function checkMessages(change: TriggerChange): void {
  const { triggerType, alerts } = change.current ? { ...change.current, ...change.input } : change.input;
  const definition = triggers.get(triggerType);
  if (!definition) return;
  const memberNames = [...definition.fields, ...templateMembers];
  const faults = alerts.flatMap(({ message }, index) =>
    typeof message === 'string' ? templateFaults(message, memberNames, `/alerts/${index}/message`) : [],
  );
  if (faults.length > 0) throw invalidInput(faults);
}

async function checkParams(call: Call, change: TriggerChange): Promise<void> {
  const { triggerType, contractId, params } = change.current
    ? { ...change.current, ...change.input }
    : change.input;
  const definition = triggers.get(triggerType);
  if (!definition) return;
  const proposed = { name: triggerType, kind: definition, kinds: triggers, pointer: '/triggerType' };
  const chain = await checkFamily(call, { tenantId: tenantOf(change), contractId }, proposed);
  const checked = withDefaults(definition.params, params, '/params');
  if ('faults' in checked) throw invalidInput(checked.faults);
  if (!chain) return;
  checkAddresses(definition.params, checked.value, chain, '/params');
  if (!definition.check) return;
  const faults = definition.check(
    checked.value,
    await findAbi(call.db, tenantOf(change), contractId, chain.family),
    chain.family,
  );
  if (faults.length > 0)
    throw invalidInput(faults.map((fault) => ({ ...fault, pointer: `/params${fault.pointer}` })));
}
