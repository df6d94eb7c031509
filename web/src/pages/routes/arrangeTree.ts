type Placed = { id: number; parentId: number | null; order: number };

/** Rows as a tree is read: each below the one above it, siblings in their order, and how deep each stands. */
export function arrangeTree<Row extends Placed>(rows: readonly Row[]): { row: Row; depth: number }[] {
  const known = new Set(rows.map(({ id }) => id));
  const below = new Map<number | null, Row[]>();
  for (const row of rows) {
    const parent = row.parentId !== null && known.has(row.parentId) ? row.parentId : null;
    below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const place = (parent: number | null, depth: number): { row: Row; depth: number }[] =>
    (below.get(parent) ?? [])
      .sort((left, right) => left.order - right.order || left.id - right.id)
      .flatMap((row) => [{ row, depth }, ...place(row.id, depth + 1)]);
  return place(null, 0);
}
