/** Families of chains that Vigil follows; of the others it knows addresses and keys. */
const families: readonly string[] = ['evm', 'bitcoin'];

export function canFollow({ family }: { family: string }): boolean {
  return families.includes(family);
}
