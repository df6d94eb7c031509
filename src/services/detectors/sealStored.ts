import { configSchema } from '../../detectors/configSchema.ts';
import { detectors } from '../../detectors/detectors.ts';
import { maskUri, sealedText } from '../../lib/secret.ts';
import type { Keyring } from '../../model/keyring.ts';
import type { Store } from '../../store/db/db.ts';
import {
  findPlainConfigs,
  findPlainUris,
  findSchemas,
  removeBacktestMembers,
  writeSealedConfig,
  writeSealedUri,
} from '../../store/detectors/sealedConfigs.ts';
import { sealCredential } from '../../store/detectors/sealedCredential.ts';
import { credentialMembers } from './sealConfig.ts';

const batchSize = 200;

/** Seals credentials that an earlier version stored in the clear. What is sealed already is left alone. */
export async function sealStored(store: Store, keyring: Keyring): Promise<void> {
  while ((await sealUris(store, keyring)) === batchSize);
  for (const { id, name, configSchema: written } of await findSchemas(store)) {
    const definition = detectors.get(name);
    const members = credentialMembers(definition ? configSchema(definition) : (written ?? {}));
    if (members.length === 0) continue;
    await removeBacktestMembers(store, name, members);
    while ((await sealConfigs(store, keyring, id, members)) === batchSize);
  }
}

async function sealUris(store: Store, keyring: Keyring): Promise<number> {
  return store.transaction(async (tx) => {
    const rows = await findPlainUris(tx, batchSize);
    for (const { tenantId, id, uri } of rows) {
      const secretOwner = { tenantId, kind: 'destination', id, member: 'messengerBUri' };
      await writeSealedUri(tx, { tenantId, id }, maskUri(uri), keyring.seal(secretOwner, uri));
    }
    return rows.length;
  });
}

async function sealConfigs(
  store: Store,
  keyring: Keyring,
  schemaId: number,
  members: readonly string[],
): Promise<number> {
  return store.transaction(async (tx) => {
    const rows = await findPlainConfigs(tx, schemaId, members, batchSize);
    for (const { tenantId, id, config } of rows) {
      const plain = members.filter((name) => typeof config[name] === 'string');
      const shown = Object.fromEntries(plain.map((name) => [name, sealedText]));
      const sealed = plain.map((name) => [name, sealCredential(keyring, tenantId, String(config[name]))]);
      await writeSealedConfig(tx, { tenantId, id }, shown, Object.fromEntries(sealed));
    }
    return rows.length;
  });
}
