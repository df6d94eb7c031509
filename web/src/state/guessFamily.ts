/** Families of chains whose addresses look like this; the API has the last word. */
const forms: readonly (readonly [family: string, form: RegExp])[] = [
  ['evm', /^0x[0-9a-fA-F]{40}$/],
  ['vechain', /^0x[0-9a-fA-F]{40}$/],
  ['tron', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
  ['bitcoin', /^(bc1|tb1)[0-9a-z]{8,87}$|^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/],
  ['stellar', /^[GC][A-Z2-7]{55}$/],
  ['icp', /^([a-z2-7]{5}-)+[a-z2-7]{1,5}$|^[0-9a-f]{64}$/],
  ['solana', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
];

export function guessFamilies(address: string): readonly string[] {
  return forms.filter(([, form]) => form.test(address.trim())).map(([family]) => family);
}
