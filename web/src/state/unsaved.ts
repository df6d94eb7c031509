import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Forms on screen with changes that were not sent. */
const changed = new Set<Element>();

/** Set while a person is asked whether what they typed may be lost; goes on with it. */
export const leaving = signal<(() => void) | undefined>(undefined);

/** Does what would lose changed forms, those within an element if one is given, once a person has agreed. */
export function leave(go: () => void, within?: Element | null): void {
  const lost = [...changed].filter((form) => form.isConnected && (!within || within.contains(form)));
  const discard = () => {
    for (const form of lost) changed.delete(form);
    go();
  };
  if (lost.length === 0) discard();
  else leaving.value = discard;
}

export const hasUnsaved = (): boolean => [...changed].some((form) => form.isConnected);

/** Has a person asked before the form is left while it is changed; what it gives back says that all was sent. */
export function useUnsaved(form: RefObject<Element | null>, isChanged: boolean): () => void {
  useLayoutEffect(() => {
    const element = form.current;
    if (!element || !isChanged) return;
    changed.add(element);
    return () => void changed.delete(element);
  });
  return () => {
    if (form.current) changed.delete(form.current);
  };
}

addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
