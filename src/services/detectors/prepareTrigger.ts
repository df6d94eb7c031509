import { templateMembers } from '../../model/alert.ts';
import { type TriggerType, triggerTypes } from '../../model/enumerations.ts';
import { invalidInput, withDefaults } from '../../model/validate.ts';
import { findContractAbi } from '../../store/contracts/contractAbi.ts';
import { isItems } from '../../store/records/bindings.ts';
import type { Row } from '../../store/records/records.ts';
import { triggers } from '../../triggers/registry.ts';
import type { Call } from '../call.ts';
import { checkBindingFilters } from '../destinations/checkBindingFilters.ts';
import { templateFaults } from '../records/checkTemplate.ts';
import type { Change } from '../records/recordKind.ts';

type TriggerChange = Omit<Change, 'input'> & {
  input: {
    triggerType?: TriggerType | null;
    params?: object | null;
    contractId?: number | null;
    alerts?: unknown;
  };
};

/** What feeds a trigger follows from its type, and so does what its parameters must be. */
export async function prepareTrigger(call: Call, change: TriggerChange): Promise<Row> {
  const { input } = change;
  if (isItems(input.alerts)) {
    input.alerts.forEach(({ destinations }, index) => {
      checkBindingFilters(destinations, `/alerts/${index}/destinations`, call.now);
    });
  }
  if (input.triggerType != null || input.params !== undefined) await checkParams(call, change);
  if (input.triggerType != null || input.alerts !== undefined) checkMessages(change);
  return input.triggerType == null ? input : { ...input, interceptorType: triggerTypes[input.triggerType] };
}

/** Messages that stay are looked at too when the trigger becomes one of another type. */
function checkMessages({ input, current }: TriggerChange): void {
  const definition = triggers.get(input.triggerType ?? String(current?.triggerType));
  const alerts = input.alerts ?? current?.alerts;
  if (!definition || !isItems(alerts)) return;
  const known = [...definition.fields, ...templateMembers];
  const faults = alerts.flatMap(({ message }, index) =>
    typeof message === 'string' ? templateFaults(message, known, `/alerts/${index}/message`) : [],
  );
  if (faults.length > 0) throw invalidInput(faults);
}

async function checkParams(call: Call, { input, current, tenantId }: TriggerChange): Promise<void> {
  const definition = triggers.get(input.triggerType ?? String(current?.triggerType));
  if (!definition) return;
  const params = input.params ?? current?.params ?? {};
  const checked = withDefaults(definition.params, params, '/params');
  if ('faults' in checked) throw invalidInput(checked.faults);
  if (!definition.check) return;
  const contractId = input.contractId ?? Number(current?.contractId);
  const faults = definition.check(checked.value, await findContractAbi(call.db, tenantId!, contractId));
  if (faults.length > 0)
    throw invalidInput(faults.map((fault) => ({ ...fault, pointer: `/params${fault.pointer}` })));
}
