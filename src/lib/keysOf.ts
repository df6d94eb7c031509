/** The names of an object that has no other members than its type says, such as a table of constants. */
export function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
