/** What of the page a view keeps. */
export type Viewed = { query: string; range: string; columns: readonly string[] };
