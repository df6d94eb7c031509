import { triggerTypes } from '../../model/enumerations.ts';
import type { Db } from '../../store/db/db.ts';
import { saveTriggerSchemas } from '../../store/detectors/saveTriggerSchemas.ts';
import { triggerGuides } from '../../triggers/triggerGuides.ts';
import { triggers } from '../../triggers/triggers.ts';

/** Makes the triggers of this version of Vigil known in the catalogue. */
export async function publishTriggers(db: Db, now: number): Promise<void> {
  await saveTriggerSchemas(
    db,
    Array.from(triggers.values(), ({ type, families, description, params, fields }) => ({
      name: type,
      description,
      interceptorType: triggerTypes[type],
      families,
      paramsSchema: params,
      metaMembers: fields,
      ...triggerGuides[type],
    })),
    now,
  );
}
