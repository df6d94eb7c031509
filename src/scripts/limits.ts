/** What one script may use; the sandbox hands these to its worker. */
export const limits = {
  scriptMs: 50,
  /** After this time of one run its worker serves others before the rest of the run. */
  sliceMs: 25,
  /** Engine, values and script together; QuickJS's module cannot be given less. */
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 256 * 1024,
  sourceChars: 64 * 1024,
  resultChars: 64 * 1024,
  valueChars: 2 * 1024 * 1024,
  /** Compiled scripts share the memory of a run, so the cache is bounded by text as well as by number. */
  cachedScripts: 1_000,
  cachedChars: 256 * 1024,
} as const;

export type Limits = typeof limits;
