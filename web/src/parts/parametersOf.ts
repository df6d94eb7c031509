/** Parameters of a signature such as `transfer(address to, uint256 amount)`; one without a name is called by its place. */
export function parametersOf(signature: string): { name: string; type: string }[] {
  const inside = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'));
  if (!signature.includes('(') || inside.trim() === '') return [];
  return splitTop(inside).map((part, index) => {
    const words = part
      .trim()
      .split(/\s+(?![^(]*\))/)
      .filter((word) => word !== 'indexed');
    return { type: words[0] ?? '', name: words.length > 1 ? words.at(-1)! : String(index) };
  });
}

/** Parts between the commas that are in no bracket. */
function splitTop(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts;
}
