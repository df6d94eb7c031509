import { triggerTypes } from '../../model/enumerations.ts';
import { triggers } from '../../triggers/registry.ts';

/** Every kind of trigger, with what its parameters must be. */
export function listTriggerTypes() {
  return [...triggers.values()].map(({ type, description, params, fields }) => ({
    triggerType: type,
    interceptorType: triggerTypes[type],
    description,
    fields: [...fields],
    paramsSchema: params as unknown as Record<string, unknown>,
  }));
}
