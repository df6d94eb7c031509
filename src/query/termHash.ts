import { createBoundedMap } from '../lib/createBoundedMap.ts';

/**
 * The 32-bit hash of a term of a field in a tenant's inverted index. It includes the tenant, so posting lists of
 * tenants stay apart. Stored, so it may never change.
 */
export function termHash(tenantId: number, field: string, term: string): number {
  return createTermHash(tenantId, field)(term);
}

type TermHash = (term: string) => number;

/** Those in use: a tenant's alerts have the same members again and again. */
const maxTenants = 1000;
const maxFields = 200;
const maxNameLength = 64;
const cache = createBoundedMap<number, Map<string, TermHash>>(maxTenants);

/** The same for many terms of one field. */
export function createTermHash(tenantId: number, field: string): TermHash {
  if (field.length > maxNameLength) return makeTermHash(tenantId, field);
  let fields = cache.get(tenantId);
  if (!fields) {
    fields = createBoundedMap(maxFields);
    cache.set(tenantId, fields);
  }
  let hash = fields.get(field);
  if (!hash) {
    hash = makeTermHash(tenantId, field);
    fields.set(field, hash);
  }
  return hash;
}

function makeTermHash(tenantId: number, field: string): TermHash {
  const start = add(add(0x811c9dc5, String(tenantId)), field);
  return (term) => {
    let hash = add(start, term);
    // A last mix, because neighbouring inputs of the loop below have neighbouring outputs.
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) | 0;
  };
}

function add(start: number, text: string): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return Math.imul(hash ^ 0xff, 0x01000193);
}
