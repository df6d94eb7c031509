import { harmless } from '../lib/harmless.ts';
import { zip } from '../lib/zip.ts';
import type { Severity } from '../model/alert.ts';
import type { Label, Reader } from '../model/detection.ts';

/** Tags of labels that make an address suspicious. */
export const badTags: readonly string[] = ['SANCTION', 'EXPLOIT', 'SCAM', 'MIXER'];

export type LabelHit<T> = { readonly party: T; readonly label: Label };

/** The parties with a label that counts, each with its worst one; the worst come first. */
export function findLabelHits<T extends { readonly address: string }>(
  read: Reader,
  parties: readonly T[],
  counts: (label: Label) => boolean,
): LabelHit<T>[] {
  const labelsOf = read.all(
    parties.map(
      ({ address }) =>
        () =>
          read.labels(address),
    ),
  );
  return worstFirst(parties, labelsOf, counts);
}

export function worstFirst<T>(
  parties: readonly T[],
  labelsOf: readonly (readonly Label[])[],
  counts: (label: Label) => boolean,
): LabelHit<T>[] {
  return zip(parties, labelsOf)
    .flatMap(([party, labels]) => {
      const [label] = labels.filter(counts).sort((a, b) => b.score - a.score);
      return label ? [{ party, label }] : [];
    })
    .sort((a, b) => b.label.score - a.label.score);
}

/** A label for a sentence: `Some mixer (MIXER, score 90)`. */
export function showLabel({ name, tags, score }: Label): string {
  const words = [...tags.map((tag) => harmless(tag, 40)), `score ${score}`].join(', ');
  return name ? `${harmless(name, 100)} (${words})` : words;
}

export function severityByScore(score: number): Severity {
  if (score >= 90) return 'CRITICAL';
  if (score >= 70) return 'HIGH';
  if (score >= 50) return 'MEDIUM';
  return score >= 30 ? 'LOW' : 'INFO';
}

type Lists = { readonly addresses: readonly string[]; readonly csv: string };

const cached = new WeakMap<Lists, ReadonlyMap<string, readonly Label[]>>();

/** The labels of a detector's own lists by address; read once, since a list may be long. */
export function customLabels(lists: Lists): ReadonlyMap<string, readonly Label[]> {
  let labels = cached.get(lists);
  if (!labels) {
    labels = new Map(
      [...lists.addresses.map((address) => [address]), ...rowsOf(lists.csv)].map((cells) => {
        const label = toLabel(cells);
        return [label.address, [label]];
      }),
    );
    cached.set(lists, labels);
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
    address,
    name: name.join(',').trim() || null,
    tags: tags
      .split(';')
      .map((tag) => tag.trim().toUpperCase())
      .filter((tag) => tag !== ''),
    score: score.trim() === '' ? 100 : Number(score),
    source: 'custom',
  };
}
