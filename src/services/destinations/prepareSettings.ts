import type { KindSettings } from '../../destinations/destinationKind.ts';
import { type DestinationType, destinationKinds } from '../../destinations/destinationKinds.ts';
import {
  addressesIn,
  sealedSettings,
  settingsSchema,
  shownAddress,
} from '../../destinations/kindSettings.ts';
import { portedEgress, webhookFault } from '../../lib/egress.ts';
import { sealedText } from '../../lib/secret.ts';
import { invalid } from '../../model/errors.ts';
import { invalidInput, withDefaults } from '../../model/validate.ts';
import { findSealedSettings } from '../../store/destinations/targets.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';

type SettingsChange = {
  id: number;
  tenantId: number;
  input: { settings?: KindSettings };
  current: { type: DestinationType; settings: KindSettings; value: string | null } | undefined;
};

/**
 * The settings as they are stored and shown, with every secret sealed beside them. A secret that comes back as it was shown
 * keeps its value, as long as that goes to the same receiver.
 */
export async function prepareSettings(
  call: Call,
  type: DestinationType,
  { id, tenantId, input, current }: SettingsChange,
): Promise<Row> {
  const isSameType = current?.type === type;
  if (isSameType && input.settings === undefined) return {};
  const before = isSameType ? await openSettings(call, current, tenantId, id) : { secrets: {}, all: {} };
  const given = withoutNulls(input.settings ?? {});
  const secretNames = sealedSettings(type);
  const sentBack = secretNames.filter((name) => given[name] === sealedText);
  for (const name of sentBack) {
    if (before.secrets[name] === undefined)
      throw invalid(
        `/settings/${name}`,
        'sealed',
        `${sealedText} stands for a stored value, and there is none; give the value.`,
      );
    given[name] = before.secrets[name];
  }
  const settings = validSettings(type, given);
  const uris = checkedAddresses(call, type, tenantId, settings);
  const [firstSentBack] = sentBack;
  const hostsBefore = new Set(isSameType ? addressesIn(type, before.all).map(hostOf) : []);
  if (firstSentBack !== undefined && !uris.every((uri) => hostsBefore.has(hostOf(uri))))
    throw invalid(
      `/settings/${firstSentBack}`,
      'sealed',
      'The settings lead to another receiver than the one that this value was given for; give the value again.',
    );
  const secrets = Object.fromEntries(
    secretNames.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
  const shown = { ...settings, ...mapValues(secrets, () => sealedText) };
  const [uri] = uris;
  const address = uri === undefined ? {} : { value: shownAddress(type, uri) };
  // Sealing the same values again would look like a change.
  if (isSameType && JSON.stringify(secrets) === JSON.stringify(before.secrets))
    return { settings: shown, ...address };
  const box = { tenantId, kind: 'destination', id, member: 'settings' };
  const hasSecrets = Object.keys(secrets).length > 0;
  return {
    settings: shown,
    sealedSettings: hasSecrets ? call.services.keyring.seal(box, JSON.stringify(secrets)) : null,
    ...address,
  };
}

async function openSettings(
  call: Call,
  current: { settings: KindSettings },
  tenantId: number,
  id: number,
): Promise<{ secrets: KindSettings; all: KindSettings }> {
  const box = await findSealedSettings(call.db, id);
  const owner = { tenantId, kind: 'destination', id, member: 'settings' };
  const secrets: KindSettings = box ? JSON.parse(await call.services.keyring.unseal(owner, box)) : {};
  return { secrets, all: { ...current.settings, ...secrets } };
}

/** The settings with the defaults of the kind, or a fault for each that the kind does not take. */
function validSettings(type: DestinationType, given: KindSettings): KindSettings {
  const result = withDefaults(settingsSchema(type), given, '/settings');
  if ('faults' in result) throw invalidInput(result.faults);
  const settings = result.value as KindSettings;
  const fault = destinationKinds[type].check?.(settings);
  if (fault) throw invalid(`/settings/${fault.member}`, 'setting', fault.message);
  return settings;
}

function checkedAddresses(
  call: Call,
  type: DestinationType,
  tenantId: number,
  settings: KindSettings,
): readonly string[] {
  const { address, ports } = destinationKinds[type];
  if (address.type !== 'settings') return [];
  const uris = addressesIn(type, settings);
  const egress = portedEgress(call.services.egress, ports);
  for (const uri of uris) {
    const fault = webhookFault(uri, tenantId, egress);
    if (fault) throw invalid(`/settings/${address.named}`, 'address', `${fault}.`);
  }
  return uris;
}

function withoutNulls(settings: KindSettings): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

function mapValues(record: KindSettings, map: (value: unknown) => unknown): KindSettings {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function hostOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).host : undefined;
}
