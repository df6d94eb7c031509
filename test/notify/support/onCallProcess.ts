import { setTimeout as sleep } from 'node:timers/promises';
import { takeSteps } from '../../../src/notify/escalations/takeSteps.ts';
import { repeatDue } from '../../../src/notify/routes/repeatDue.ts';
import { createRules } from '../../../src/notify/rules/createRules.ts';
import type { Connection } from '../../../src/store/db/openClient.ts';
import { openStore } from '../../../src/store/db/openStore.ts';

/** Repeats and makes steps of chains when they are due until it is killed, and says each time that it has looked. */
async function work(connection: Connection): Promise<never> {
  const store = openStore({ ...connection, max: 2 }, () => {});
  const findRules = createRules();
  const links = () => ({ explorer: null, alert: 'https://vigil.example.com' });
  for (;;) {
    await repeatDue({ store, findRules, links, now: Date.now });
    await takeSteps(store, { links, now: Date.now() });
    process.send?.('looked');
    await sleep(5);
  }
}

process.on('message', ({ connection }: { connection: Connection }) => void work(connection));
process.on('disconnect', () => process.exit());
