import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupBy } from '../../src/lib/groupBy.ts';

export type Canary = { name: string; forms: { form: string; bytes: Buffer }[] };

/** A secret and every form in which it could slip out. `bytes` is what a text such as a hex key stands for. */
export function canary(name: string, text: string, bytes?: Buffer): Canary {
  const plain = Buffer.from(text);
  const values = bytes ? [plain, bytes] : [plain];
  const forms = values.flatMap((value, i) => [
    { form: i === 0 ? 'plain' : 'raw', bytes: value },
    { form: 'hex', bytes: Buffer.from(value.toString('hex')) },
    { form: 'upper-case hex', bytes: Buffer.from(value.toString('hex').toUpperCase()) },
    ...base64Forms(value),
  ]);
  return {
    name,
    forms: [
      ...forms,
      { form: 'UTF-16LE', bytes: Buffer.from(text, 'utf16le') },
      { form: 'UTF-16BE', bytes: Buffer.from(text, 'utf16le').swap16() },
    ],
  };
}

/** Base64 depends on what stands before: without its ends, one of these three is inside whatever holds the value. */
function base64Forms(value: Buffer): { form: string; bytes: Buffer }[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), value]);
    return (['base64', 'base64url'] as const).map((form) => {
      const inner = padded
        .toString(form)
        .replace(/=+$/, '')
        .slice(shift === 0 ? 0 : 4, -2);
      return { form: `${form} at ${shift}`, bytes: Buffer.from(inner) };
    });
  });
}

/** Which canaries are in some text or bytes, as `name (form)`. */
export function findLeaks(canaries: readonly Canary[], where: string | Buffer): string[] {
  return searchFor(canaries)(typeof where === 'string' ? Buffer.from(where) : where);
}

type Search = (bytes: Buffer) => string[];
const searches = new WeakMap<readonly Canary[], Search>();

/** Hundreds of answers are searched for the same list, whose table takes longer to make than an answer to search. */
function searchFor(canaries: readonly Canary[]): Search {
  const search = searches.get(canaries) ?? createSearch(canaries);
  searches.set(canaries, search);
  return search;
}

/** The same for every file below a folder, as `file: name (form)`. */
export async function findLeaksInFiles(canaries: readonly Canary[], folder: string): Promise<string[]> {
  const search = createSearch(canaries);
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const leaks = search(await readFile(file));
    found.push(...leaks.map((leak) => `${file.slice(folder.length + 1)}: ${leak}`));
  }
  return found;
}

/** Reads the bytes once for all forms, by the first two bytes of each: a data folder is large, and so are hundreds of forms. */
function createSearch(canaries: readonly Canary[]): Search {
  const all = canaries.flatMap(({ name, forms }) =>
    forms.map(({ form, bytes }) => ({ leak: `${name} (${form})`, bytes })),
  );
  const byStart = groupBy(all, ({ bytes }) => bytes.readUInt16BE(0));
  const isStart = new Uint8Array(65_536);
  for (const start of byStart.keys()) isStart[start] = 1;
  return (bytes) => {
    const found = new Set<string>();
    let start = bytes[0] ?? 0;
    for (let end = 1; end < bytes.length; end++) {
      start = ((start & 0xff) << 8) | bytes[end]!;
      if (isStart[start] === 0) continue;
      for (const form of byStart.get(start) ?? [])
        if (bytes.subarray(end - 1, end - 1 + form.bytes.length).equals(form.bytes)) found.add(form.leak);
    }
    return [...found];
  };
}
