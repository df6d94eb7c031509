/** An ABI as people have it: the list itself, or the output of a compiler with it inside. */
export function parseAbi(text: string): Record<string, unknown>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('The ABI is not JSON. Paste the list of functions and events.', { cause });
  }
  const list = Array.isArray(value) ? value : (value as { abi?: unknown } | null)?.abi;
  if (!Array.isArray(list))
    throw new Error('The ABI must be a list of functions and events, or an object with such a list as abi.');
  return list as Record<string, unknown>[];
}
