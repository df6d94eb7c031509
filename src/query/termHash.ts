/**
 * The 32-bit hash under which a term of a field is found in a tenant's inverted index. The tenant is part of it, so that
 * posting lists of one tenant hold no rows of another. Stored, so it may never change.
 */
export function termHash(tenantId: number, field: string, term: string): number {
  let hash = 0x811c9dc5;
  const add = (text: string) => {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
      hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
    }
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  };
  add(String(tenantId));
  add(field);
  add(term);
  // A last mix, because neighbouring inputs of the loop above have neighbouring outputs.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
