import type { Label } from '../model/detection.ts';

type Lists = { readonly addresses: readonly string[]; readonly csv: string };

const made = new WeakMap<Lists, ReadonlyMap<string, readonly Label[]>>();

/** The labels of a detector's own lists by address; read once, since a list may be long. */
export function customLabels(lists: Lists): ReadonlyMap<string, readonly Label[]> {
  let labels = made.get(lists);
  if (!labels) {
    labels = new Map(
      [...lists.addresses.map((address) => [address]), ...rowsOf(lists.csv)].map((cells) => {
        const label = toLabel(cells);
        return [label.address, [label]];
      }),
    );
    made.set(lists, labels);
  }
  return labels;
}

function rowsOf(csv: string): string[][] {
  return csv
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => line.split(','));
}

function toLabel([address = '', score = '', tags = '', ...name]: readonly string[]): Label {
  return {
    tenantId: null,
    address: address.toLowerCase(),
    name: name.join(',').trim() || null,
    tags: tags
      .split(';')
      .map((tag) => tag.trim().toUpperCase())
      .filter((tag) => tag !== ''),
    score: score.trim() === '' ? 100 : Number(score),
    source: 'custom',
  };
}
