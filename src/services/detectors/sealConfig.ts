import type { TSchema } from 'typebox';
import { sealedText } from '../../lib/secret.ts';
import { invalid } from '../../model/errors.ts';
import { membersWith } from '../../model/schema.ts';
import { findSealedConfig } from '../../store/detectors/sealedConfigs.ts';
import { sealCredential } from '../../store/detectors/sealedCredential.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';

const maxCharacters = 4000;

/** Members of a configuration that are credentials: what its schema calls `writeOnly`. */
export function credentialMembers(schema: TSchema): string[] {
  return membersWith(schema, 'writeOnly', true);
}

type Sealing = { tenantId: number; detectorId: number | undefined; before: Row };

/**
 * The configuration as it is stored and shown, and its credentials sealed beside it. A member that comes back as it was
 * shown keeps its credential, as long as that goes to the same receiver.
 */
export async function sealConfig(
  call: Call,
  schema: TSchema,
  config: Row,
  { tenantId, detectorId, before }: Sealing,
): Promise<{ config: Row; sealedConfig: Row | null }> {
  const names = credentialMembers(schema).filter((name) => typeof config[name] === 'string');
  if (names.length === 0) return { config, sealedConfig: null };
  const stored = detectorId === undefined ? {} : await findSealedConfig(call.db, tenantId, detectorId);
  const sealed: Row = {};
  for (const name of names) {
    const value = String(config[name]);
    if (value === sealedText) sealed[name] = keepCredential(name, stored, before, config);
    else if (value.length > maxCharacters)
      throw invalid(`/config/${name}`, 'too-long', `must have at most ${maxCharacters} characters.`);
    else sealed[name] = sealCredential(call.services.keyring, tenantId, value);
  }
  const shown = Object.fromEntries(names.map((name) => [name, sealedText]));
  return { config: { ...config, ...shown }, sealedConfig: sealed };
}

/** A credential that was given for one receiver must not reach another through someone who cannot read it. */
function keepCredential(name: string, stored: Row, before: Row, config: Row): unknown {
  const refuse = (message: string) => invalid(`/config/${name}`, 'sealed', message);
  if (stored[name] === undefined)
    throw refuse(`${sealedText} stands for a value that is kept, and there is none; give the value.`);
  if (originOf(before.url) !== originOf(config.url))
    throw refuse(
      'The address leads to another receiver than the one that the value was given for; give the value again.',
    );
  return stored[name];
}

function originOf(url: unknown): unknown {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : url;
}
