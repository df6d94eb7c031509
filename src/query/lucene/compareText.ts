/** Negative, zero or positive by code point order, in which characters outside the basic plane come last. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return a.length - b.length;
}

/** Surrogates stand below U+E000 as units, but the characters they spell above U+FFFF. */
export function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
