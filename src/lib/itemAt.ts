/** The item at this index, which the caller has made sure is there; throws where the list is shorter. */
export function itemAt<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no item ${index} in a list of ${items.length}.`);
  return item;
}
