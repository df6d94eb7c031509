/** The hash of a transaction in its one form: hexadecimal digits in lower case, anything else (base58) as it is. */
export function canonicalHash(hash: string): string {
  return /^(0x)?[0-9a-f]*$/i.test(hash) ? hash.toLowerCase() : hash;
}
