/** The scripts of one binding, and where the request has them. */
export type ChangedBinding = {
  pointer: string;
  filter: string | null;
  params: Readonly<Record<string, string>>;
};

type ScriptedItem = {
  id?: number;
  scriptFilter?: string | null;
  scriptParams?: Readonly<Record<string, string>>;
  actionId?: number;
  detectorId?: number;
  triggerAlertId?: number;
};

/**
 * Bindings with new or changed scripts, or to other records than before, as stored. Unchanged ones are skipped, because
 * they may predate a check and come back as read.
 */
export function changedBindings<I extends ScriptedItem>(
  items: readonly I[] | undefined,
  current: readonly I[] | undefined,
  pointer: string,
): (ChangedBinding & { item: I })[] {
  const stored = new Map(current?.map((item) => [item.id, item]));
  return (items ?? []).flatMap((given, index) => {
    const before = given.id === undefined ? undefined : stored.get(given.id);
    const item = { ...before, ...given };
    const { scriptFilter = null, scriptParams = {} } = item;
    const scripts = { filter: scriptFilter || null, params: scriptParams };
    const former = before && { filter: before.scriptFilter || null, params: before.scriptParams ?? {} };
    if (before && isSameBound(before, item) && JSON.stringify(former) === JSON.stringify(scripts)) return [];
    return [{ ...scripts, item, pointer: `${pointer}/${index}` }];
  });
}

function isSameBound(left: ScriptedItem, right: ScriptedItem): boolean {
  return (['actionId', 'detectorId', 'triggerAlertId'] as const).every((name) => left[name] === right[name]);
}
