import { type TSchema, Type } from 'typebox';
import { sealedText } from '../lib/secret.ts';
import { Shape } from '../model/schema.ts';
import type { KindSettings } from './destinationKind.ts';
import { type DestinationType, destinationKinds } from './destinationKinds.ts';

/**
 * The `value` of a destination whose address follows from its settings: the kind as the scheme, and the host. Whatever comes
 * after the host may be a credential.
 */
export function shownAddress(type: DestinationType, uri: string): string {
  const scheme = type.toLowerCase().replaceAll('_', '-');
  return `${scheme}://${URL.canParse(uri) ? new URL(uri).host : ''}/${sealedText}`;
}

/** The address that the settings lead to; undefined for the kinds that have it elsewhere. */
export function addressIn(type: DestinationType, settings: KindSettings): string | undefined {
  const { address } = destinationKinds[type];
  return address.type === 'settings' ? address.uriOf(settings) : undefined;
}

/** Every address that messages may go to by these settings. */
export function addressesIn(type: DestinationType, settings: KindSettings): readonly string[] {
  const { address } = destinationKinds[type];
  if (address.type !== 'settings') return [];
  return [address.uriOf(settings), ...(address.moreUrisOf?.(settings) ?? [])];
}

/** The names of the settings whose values are sealed: all that are not declared public. */
export function sealedSettings(type: DestinationType): string[] {
  const { settings } = destinationKinds[type];
  return Object.keys(settings).filter((name) => settings[name]?.isPublic !== true);
}

/** The schema of `settings` for destinations of this type. */
export function settingsSchema(type: DestinationType): TSchema {
  const { settings } = destinationKinds[type];
  const names = Object.keys(settings);
  const members = names.map((name) => {
    const { schema, isPublic } = settings[name]!;
    return [name, isPublic ? schema : Type.Unsafe({ ...schema, writeOnly: true })] as const;
  });
  return Type.Unsafe({
    ...Shape(
      Object.fromEntries(members),
      names.filter((name) => settings[name]!.isRequired),
    ),
    'x-order': names,
  });
}
