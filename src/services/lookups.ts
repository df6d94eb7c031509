/** Reads outside of the database that a request waits for; undefined for what does not respond soon. */
export type Lookups = <T>(read: () => Promise<T>) => Promise<T | undefined>;
