import { randomUUID } from 'node:crypto';
import type { Keyring } from '../../model/keyring.ts';

const form = /^sealed:([0-9a-f-]{36}):([A-Za-z0-9+/]+={0,2})$/;

/** A credential of a configuration as text that can stand in its place: sealed to the tenant and to a place of its own. */
export function sealCredential(keyring: Keyring, tenantId: number, value: string): string {
  const id = randomUUID();
  return `sealed:${id}:${keyring.seal(placeOf(tenantId, id), value).toString('base64')}`;
}

/** The credential, or the text itself where nothing is sealed. */
export async function openCredential(keyring: Keyring, tenantId: number, text: string): Promise<string> {
  const [, id, box] = form.exec(text) ?? [];
  return id && box ? keyring.unseal(placeOf(tenantId, id), Buffer.from(box, 'base64')) : text;
}

function placeOf(tenantId: number, id: string) {
  return { tenantId, kind: 'credential', id, member: 'config' };
}
