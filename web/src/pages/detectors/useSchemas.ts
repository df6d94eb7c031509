import type { DetectorSchema } from '../../../../sdk/src/index.ts';
import { searchRecords } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';

/** Every kind of detector, by title. */
export function useSchemas() {
  return useLoad('detector schemas', async (signal) => {
    const { data } = await searchRecords<DetectorSchema>(
      '/detector/schema',
      { size: 1000, where: "status = 'ACTIVE'" },
      signal,
    );
    return data.sort((a, b) => a.title.localeCompare(b.title));
  });
}
