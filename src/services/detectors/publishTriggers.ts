import { triggerTypes } from '../../model/enumerations.ts';
import type { Db } from '../../store/db.ts';
import { saveTriggerSchemas } from '../../store/detectors/triggerSchemas.ts';
import { triggers } from '../../triggers/registry.ts';
import { triggerGuides } from '../../triggers/triggerGuides.ts';

/** Makes the triggers of this version of Vigil known in the catalogue. */
export async function publishTriggers(db: Db, now: number): Promise<void> {
  await saveTriggerSchemas(
    db,
    Array.from(triggers.values(), ({ type, description, params, fields }) => ({
      name: type,
      description,
      interceptorType: triggerTypes[type],
      paramsSchema: params,
      metaMembers: fields,
      ...triggerGuides[type],
    })),
    now,
  );
}
