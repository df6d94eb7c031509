/** Pairs the items of two lists; throws unless both have the same length. */
export function zip<A, B>(left: readonly A[], right: readonly B[]): [A, B][] {
  if (left.length !== right.length) throw new Error(`Cannot pair ${left.length} items with ${right.length}.`);
  const rest = right.values();
  return left.map((item) => {
    const { value, done } = rest.next();
    if (done) throw new Error('The list became shorter while it was read.');
    return [item, value];
  });
}
