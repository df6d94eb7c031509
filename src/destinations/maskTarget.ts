import { maskUri, sealedText } from '../lib/secret.ts';
import type { Target } from '../model/notification.ts';
import { sealedSettings } from './kindSettings.ts';

/** The target with a mask in place of every secret: what is built from it may be shown. */
export function maskTarget(target: Target): Target {
  const names = new Set(sealedSettings(target.type));
  const mask = (value: unknown) =>
    typeof value === 'string' && URL.canParse(value) ? maskUri(value) : sealedText;
  return {
    ...target,
    messengerBUri: target.messengerBUri && maskUri(target.messengerBUri),
    headers: Object.fromEntries(Object.keys(target.headers).map((name) => [name, sealedText])),
    secrets: target.secrets.map(() => sealedText),
    settings: Object.fromEntries(
      Object.entries(target.settings).map(([name, value]) => [name, names.has(name) ? mask(value) : value]),
    ),
  };
}
