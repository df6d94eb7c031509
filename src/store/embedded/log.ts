/** Takes a past-tense sentence and its fields. */
export type WriteLog = (message: string, fields?: Record<string, unknown>, level?: 'info' | 'warn') => void;
