/** Records of one request, and the bytes that they may have together. */
const maxRecords = 1000;
const maxBytes = 3 * 1024 * 1024;

/** The records in as few requests as the API takes. */
export function inBatches<T>(records: readonly T[]): T[][] {
  const batches: T[][] = [];
  let size = maxBytes;
  for (const record of records) {
    const bytes = new TextEncoder().encode(JSON.stringify(record)).length + 1;
    const last = batches.at(-1);
    if (!last || last.length === maxRecords || size + bytes > maxBytes) {
      batches.push([record]);
      size = bytes;
    } else {
      last.push(record);
      size += bytes;
    }
  }
  return batches;
}
