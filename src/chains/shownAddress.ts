import type { Chain } from './chains.ts';
import { families } from './families.ts';

/** An address as people know it. */
export function shownAddress({ family }: Chain, canonical: string): string {
  return families[family].show?.(canonical) ?? canonical;
}
