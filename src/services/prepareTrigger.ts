import { type TriggerType, triggerTypes } from '../model/enumerations.ts';
import { invalidInput, withDefaults } from '../model/validate.ts';
import { isItems } from '../store/bindings.ts';
import { findContractAbi } from '../store/contractAbi.ts';
import type { Row } from '../store/records.ts';
import { triggers } from '../triggers/registry.ts';
import type { Call } from './call.ts';
import { checkBindingFilters } from './checkBindingFilters.ts';
import type { Change } from './recordKind.ts';

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
  return input.triggerType == null ? input : { ...input, interceptorType: triggerTypes[input.triggerType] };
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
