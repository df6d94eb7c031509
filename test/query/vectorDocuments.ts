import { readFileSync } from 'node:fs';
import type { MappingTypes } from '../../src/query/lucene/mapping.ts';

type File = { now: number; types: MappingTypes; docs: { [member: string]: unknown; _id: string }[] };

const file: File = JSON.parse(readVectors('vector-docs.json'));

/** The documents of the query vectors, nested as the documents of this project are: `meta: { token }`. */
export const vectorDocuments = {
  now: file.now,
  types: file.types,
  documents: file.docs.map((document) => ({ id: document._id, document: nest(document) })),
};

export function readVectors(name: string): string {
  return readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8');
}

function nest(flat: { [member: string]: unknown }): { [member: string]: unknown } {
  const meta: { [member: string]: unknown } = {};
  const nested: { [member: string]: unknown } = { meta };
  for (const [name, value] of Object.entries(flat)) {
    if (name.startsWith('meta.')) meta[name.slice(5)] = value;
    else nested[name] = value;
  }
  return nested;
}
