import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { codeFile } from '../../lib/codeFile.ts';
import type { Store } from '../../store/db/db.ts';
import { findBaseListVersion, lockBaseList, replaceBaseLabels } from '../../store/labels/baseLabels.ts';
import { readBaseLabels } from './readBaseLabels.ts';

/**
 * Publishes the base list of this version of Vigil as labels of the platform, or takes back what was published when it is
 * switched off. One read when nothing changed.
 */
export async function publishBaseLabels(store: Store, isOn: boolean, now: number): Promise<void> {
  const text = isOn ? await readFile(codeFile('services/labels/data/baseLabels.csv'), 'utf8') : '';
  const version = isOn ? hash('sha256', text) : 'off';
  if ((await findBaseListVersion(store)) === version) return;
  const labels = isOn ? await readBaseLabels(text) : [];
  await store.transaction(async (tx) => {
    if ((await lockBaseList(tx)) !== version) await replaceBaseLabels(tx, labels, version, now);
  });
}
