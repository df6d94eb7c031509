import type { Chain } from './names.ts';

/** Words for a state in which what happens on a chain is not seen. */
const words = { halted: 'no new blocks', behind: 'behind', blind: 'not seen' } as const;

/** In a few words why what happens on a chain is not seen, where it matters: contracts on it are watched. */
export function troubleOf({ contracts, watchState, processed }: Chain): string | undefined {
  if (contracts === 0 || !(watchState in words)) return undefined;
  // What has only just started is not behind.
  if (watchState === 'behind' && processed === null) return undefined;
  return words[watchState as keyof typeof words];
}
