import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { membersOf } from '../lib/isRecord.ts';
import { keysOf } from '../lib/keysOf.ts';
import { messageOf } from '../lib/messageOf.ts';
import type { Keyring } from '../model/keyring.ts';
import { everything } from '../model/principal.ts';
import type { AuditFilter } from '../store/records/audit.ts';
import { type Checkpoint, createCheckpoint, readCheckpoint } from '../store/records/auditCheckpoint.ts';
import { streamAudit } from '../store/records/streamAudit.ts';
import { verifyAudit } from '../store/records/verifyAudit.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { withKeyring, withStore } from './withStore.ts';

export async function verifyAuditLog(options: CommandInput['options']): Promise<number> {
  return withKeyring({ isNamed: true }, async (store, keyring) => {
    const { checkpoint: file } = options;
    const checkpoint = typeof file === 'string' ? await openCheckpoint(file, keyring) : undefined;
    if (typeof checkpoint === 'string') return refuse(checkpoint);
    const { entries, chains, faults } = await verifyAudit(store, keyring.audit, checkpoint);
    for (const { chain, seq, reason } of faults) {
      process.stdout.write(
        `Broken: ${chain === 0 ? 'platform chain' : `chain of tenant ${chain}`}, entry ${seq}: ${reason}.\n`,
      );
    }
    if (faults.length > 0) return 1;
    process.stdout.write(`The audit log is whole: ${entries} entries in ${chains} chains.\n`);
    if (checkpoint)
      process.stdout.write(
        `It contains all entries of the checkpoint of ${new Date(checkpoint.at).toISOString()}.\n`,
      );
    return 0;
  });
}

/** The checkpoint in a file, or what is wrong with it. */
async function openCheckpoint(file: string, keyring: Keyring): Promise<Checkpoint | string> {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { payload, signature } = membersOf(stored);
    if (typeof payload !== 'string' || typeof signature !== 'string')
      return `${file} is not a checkpoint: it lacks "payload" or "signature".`;
    return (
      (await readCheckpoint(keyring.audit, { payload, signature })) ??
      `The checkpoint in ${file} was changed, or another Vigil signed it.`
    );
  } catch (error) {
    return `${file} cannot be read as a checkpoint: ${messageOf(error)}`;
  }
}

export async function printCheckpoint(): Promise<number> {
  return withKeyring({ isNamed: true }, async (store, keyring) => {
    const checkpoint = await createCheckpoint(store, keyring.audit, everything, Date.now());
    process.stdout.write(`${JSON.stringify(checkpoint, null, 2)}\n`);
    return 0;
  });
}

export async function exportAuditLog({ tenant, since, until }: CommandInput['options']): Promise<number> {
  const filter: AuditFilter = {};
  if (typeof tenant === 'string') {
    if (!/^[1-9]\d{0,14}$/.test(tenant)) return refuse('--tenant takes a whole number above 0.');
    filter.tenantId = Number(tenant);
  }
  const times = { since, until };
  for (const name of keysOf(times)) {
    const text = times[name];
    if (typeof text !== 'string') continue;
    const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
    if (Number.isNaN(time)) return refuse(`--${name} takes a time such as 2026-01-31T00:00:00Z.`);
    filter[name] = time;
  }
  return withStore({ isNamed: true }, async (store) => {
    for await (const lines of streamAudit(store, everything, filter))
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    return 0;
  });
}
