import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import type { Schema } from '../../state/schemas.ts';
import { useLoad } from '../../state/useLoad.ts';

export type DestinationKind = ReplyOf<'GET', '/destination/kind'>['data'][number];

type Row = { type?: DestinationKind['type']; value: string | null };

/** The kinds that the server knows; undefined until they are loaded. */
export function useDestinationKinds(): readonly DestinationKind[] | undefined {
  return useLoad('destination kinds', (signal) => client.get('/destination/kind', { signal })).data?.data;
}

/** Members that say nothing about the kind, because rows of every kind may have them. */
const shared = ['value', 'settings', 'groupWindowMs', 'messengerABotUsername'];

/** The kind of a destination. Rows of a list do not name it; their address or a member of one kind does. */
export function kindOf(row: Row, kinds: readonly DestinationKind[]): DestinationKind | undefined {
  const members = row as Readonly<Record<string, unknown>>;
  const scheme = /^([a-z-]+):\/\//
    .exec(row.value ?? '')?.[1]
    ?.toUpperCase()
    .replaceAll('-', '_');
  return (
    kinds.find(({ type }) => type === row.type) ??
    kinds.find((kind) =>
      kind.members.some((name) => !shared.includes(name) && (members[name] ?? null) !== null),
    ) ??
    kinds.find(({ type }) => type === scheme) ??
    kinds.find(({ isConfirmed }) => isConfirmed && row.value?.includes('@')) ??
    kinds.find(({ isBoundByChat }) => isBoundByChat)
  );
}

/** The members that a form asks for, with `settings` as the kind describes them. */
export function shapeByKind(
  properties: Readonly<Record<string, Schema>>,
  kind: DestinationKind | undefined,
): Record<string, Schema> {
  const wanted = ['type', 'tenantId', 'name', 'gets', 'tags', ...(kind?.members ?? [])];
  const settings = kind && ({ ...kind.settings, description: '' } as Schema);
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => wanted.includes(name))
      .map(([name, schema]) => [name, name === 'settings' && settings ? settings : schema]),
  );
}
