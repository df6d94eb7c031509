import { type TriggerType, triggerTypes } from '../model/enumerations.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

type TriggerChange = Omit<Change, 'input'> & { input: { triggerType?: TriggerType | null } };

/** What feeds a trigger follows from its type. */
export function prepareTrigger(_call: Call, { input }: TriggerChange): Row {
  return input.triggerType == null ? input : { ...input, interceptorType: triggerTypes[input.triggerType] };
}
