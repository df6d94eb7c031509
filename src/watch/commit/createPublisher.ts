import type { Db } from '../../store/db/db.ts';
import { type PublishedState, publishState } from '../../store/watch/publishState.ts';

/** Repeated because a stored state may be lost with a server that fails over. */
const repeatMs = 60_000;

/** Publishes a state of a chain when it differs from the one that was published last. */
export function createPublisher(
  db: Db,
  to: { chainUid: string; holder: string; of: PublishedState },
): (state: object) => Promise<void> {
  let published: string | undefined;
  let publishedAt = 0;
  return async (state) => {
    const text = JSON.stringify(state);
    if (text === published && performance.now() < publishedAt + repeatMs) return;
    if (!(await publishState(db, to, state))) return;
    published = text;
    publishedAt = performance.now();
  };
}
