import { configSchema } from '../../detectors/configSchema.ts';
import { detectors } from '../../detectors/detectors.ts';
import type { Db } from '../../store/db/db.ts';
import { upsertDetectorSchemas } from '../../store/detectors/detectorSchemas.ts';

/** Makes the detectors of this version of Vigil known as schemas; what is known already stays as it is. */
export async function publishDetectors(db: Db, now: number): Promise<void> {
  await upsertDetectorSchemas(
    db,
    Array.from(detectors.values(), (definition) => ({
      title: definition.title,
      name: definition.name,
      version: definition.version,
      description: `${definition.description}\n\n${definition.faq}\n\nWhat to do next: ${definition.nextStep}`,
      category: definition.category,
      families: definition.families,
      configSchema: configSchema(definition),
    })),
    now,
  );
}
