import { destinationKinds } from '../../src/destinations/destinationKinds.ts';
import { destinationTypes } from '../../src/model/enumerations.ts';
import type { Json } from '../../testing/startTestApi.ts';

/** A body for one destination of every type, made from what its kind says of itself. */
export const sampleDestinations: readonly Json[] = destinationTypes.map((type) => {
  const { address, settings } = destinationKinds[type];
  const examples = Object.entries(settings).flatMap(([name, { schema, isPublic, isRequired }]) => {
    const { examples } = schema as { examples?: unknown[] };
    const isAddress = address.type === 'settings' && address.named === name;
    // A password is refused without the user whose it is.
    const isUser = name === 'username';
    return examples && (isRequired || !isPublic || isAddress || isUser) ? [[name, examples[0]]] : [];
  });
  return {
    type,
    ...(address.type === 'mail' ? { value: 'alice@example.com' } : {}),
    ...(address.type === 'member' ? { [address.member]: 'https://hooks.example.com/a' } : {}),
    ...(examples.length > 0 ? { settings: Object.fromEntries(examples) } : {}),
  };
});

/** The settings of such a body that must never be shown again. */
export function secretsOf({ type, settings = {} }: Json): string[] {
  const kind = destinationKinds[type as keyof typeof destinationKinds];
  return Object.entries(settings as Json).flatMap(([name, value]) =>
    kind.settings[name]?.isPublic ? [] : [String(value)],
  );
}
