/** Limits of one script; the sandbox passes them to its workers. */
export const limits = {
  scriptMs: 50,
  /** After this time of one job its worker serves the jobs that wait before the rest. */
  sliceMs: 25,
  /** Engine, values and script together; the minimum of QuickJS's module. */
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 256 * 1024,
  sourceChars: 64 * 1024,
  resultChars: 64 * 1024,
  valueChars: 2 * 1024 * 1024,
  /** Compiled scripts share the memory of a run, so the cache is limited by text as well as by count. */
  cachedScripts: 1_000,
  cachedChars: 256 * 1024,
} as const;

export type Limits = typeof limits;
