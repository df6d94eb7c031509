import type { Frame, Party } from './trace.ts';

/** Deeper frames stand as far right as this, with their depth as a number. */
export const maxIndent = 12;

/** A frame as the tree shows it. */
export type ShownFrame = { frame: Frame; parent: number | null; level: number; isParent: boolean };

export type TreeFilter = {
  /** Calls that only read are left out. */
  hidesReads: boolean;
  /** Code that a proxy borrows stands for the call of the proxy. */
  foldsProxies: boolean;
  /** Only calls from or to contracts and wallets of the tenant, with what led to them. */
  isOurs: boolean;
  search: string;
};

/** The frames that pass the filter, with those that led to them. */
export function arrangeFrames(
  frames: readonly Frame[],
  parties: ReadonlyMap<string, Party>,
  filter: TreeFilter,
): { frames: ShownFrame[]; found: ReadonlySet<number> } {
  const { hidesReads, foldsProxies, isOurs } = filter;
  const search = filter.search.trim().toLowerCase();
  /** Where the children of a frame stand: at itself, or at what it is folded into; null for nowhere. */
  const placeOf = new Map<number, { parent: number | null; level: number } | null>();
  const arranged: ShownFrame[] = [];
  const byPosition = new Map<number, ShownFrame>();
  const folded = new Map<number, Frame>();
  for (const frame of frames) {
    const { position, parent } = frame;
    const place = parent === null ? undefined : placeOf.get(parent);
    if (place === null) {
      placeOf.set(position, null);
      continue;
    }
    const above = place?.parent ?? null;
    const level = place?.level ?? 0;
    if (hidesReads && frame.type === 'STATICCALL') {
      placeOf.set(position, null);
      continue;
    }
    const proxy = above === null ? undefined : byPosition.get(above);
    if (foldsProxies && proxy && isProxied(proxy.frame, frame) && !folded.has(proxy.frame.position)) {
      folded.set(proxy.frame.position, frame);
      // The implementation knows the function by its own ABI.
      if (proxy.frame.function === null && frame.function !== null)
        proxy.frame = { ...proxy.frame, function: frame.function, arguments: frame.arguments };
      placeOf.set(position, { parent: above, level });
      continue;
    }
    const shown: ShownFrame = { frame, parent: above, level, isParent: false };
    arranged.push(shown);
    byPosition.set(position, shown);
    placeOf.set(position, { parent: position, level: level + 1 });
  }
  const found = new Set<number>();
  const matches = (shown: ShownFrame) =>
    (!isOurs || touchesUs(shown.frame, parties)) && (search === '' || hasText(shown.frame, parties, search));
  const kept = new Set<number>();
  if (isOurs || search !== '')
    for (const shown of arranged) {
      if (!matches(shown)) continue;
      found.add(shown.frame.position);
      for (let at: ShownFrame | undefined = shown; at && !kept.has(at.frame.position); ) {
        kept.add(at.frame.position);
        at = at.parent === null ? undefined : byPosition.get(at.parent);
      }
    }
  const result =
    isOurs || search !== '' ? arranged.filter(({ frame }) => kept.has(frame.position)) : arranged;
  const parents = new Set(result.map(({ parent }) => parent));
  for (const shown of result) shown.isParent = parents.has(shown.frame.position);
  return { frames: result, found };
}

function isProxied(proxy: Frame, inner: Frame): boolean {
  const isSame = inner.selector !== null && inner.selector === proxy.selector && inner.from === proxy.to;
  return isSame && inner.type === 'DELEGATECALL' && inner.isReverted === proxy.isReverted;
}

function touchesUs({ from, to }: Frame, parties: ReadonlyMap<string, Party>): boolean {
  return [from, to].some((address) => {
    const type = address === null ? undefined : parties.get(address)?.type;
    return type === 'contract' || type === 'wallet';
  });
}

function hasText(frame: Frame, parties: ReadonlyMap<string, Party>, search: string): boolean {
  const { from, to } = frame;
  const names = [parties.get(from)?.name, to === null ? undefined : parties.get(to)?.name];
  return textOf(frame).includes(search) || names.some((name) => name?.toLowerCase().includes(search));
}

/** Searchable text of a frame, in lower case; made once, since each letter of a search looks at thousands. */
const texts = new WeakMap<Frame, string>();

function textOf(frame: Frame): string {
  let text = texts.get(frame);
  if (text === undefined) {
    const { from, to, selector, function: name, arguments: values, reason, type } = frame;
    const parts = [from, to, selector, name, reason, type];
    for (const value of values) parts.push(value.name, value.value, value.shown);
    text = parts.join('\n').toLowerCase();
    texts.set(frame, text);
  }
  return text;
}

/** Without what is inside closed frames. */
export function visibleFrames(frames: readonly ShownFrame[], closed: ReadonlySet<number>): ShownFrame[] {
  const hidden = new Set<number>();
  return frames.filter(({ frame, parent }) => {
    const isHidden = parent !== null && (closed.has(parent) || hidden.has(parent));
    if (isHidden) hidden.add(frame.position);
    return !isHidden;
  });
}
