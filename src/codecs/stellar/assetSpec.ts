const field = (name: string, type_: unknown) => ({ doc: '', name, type_ });
const from = field('from', 'address');
const amount = field('amount', 'i128');
const id = field('id', 'address');
const spender = field('spender', 'address');
const admin = field('new_admin', 'address');

const functions: readonly (readonly [name: string, inputs: readonly unknown[], output?: string])[] = [
  ['allowance', [from, spender], 'i128'],
  ['approve', [from, spender, amount, field('expiration_ledger', 'u32')]],
  ['balance', [id], 'i128'],
  ['authorized', [id], 'bool'],
  ['transfer', [from, field('to', 'muxed_address'), amount]],
  ['transfer_from', [spender, from, field('to', 'address'), amount]],
  ['burn', [from, amount]],
  ['burn_from', [spender, from, amount]],
  ['decimals', [], 'u32'],
  ['name', [], 'string'],
  ['symbol', [], 'string'],
  ['set_admin', [admin]],
  ['admin', [], 'address'],
  ['set_authorized', [id, field('authorize', 'bool')]],
  ['mint', [field('to', 'address'), amount]],
  ['clawback', [from, amount]],
];

/** The functions of every contract that stands for an asset of an issuer: such a contract has no code that would tell them. */
export const assetSpec: readonly unknown[] = functions.map(([name, inputs, output]) => ({
  function_v0: { doc: '', name, inputs, outputs: output === undefined ? [] : [output] },
}));
