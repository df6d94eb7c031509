/** An address as a sanctions list names it. */
export type ListedAddress = {
  /** Position in the list: a line, or an element of JSON. */
  at: string;
  address: string;
  /** The code of the currency, such as XBT; undefined where the list has only the address. */
  currency?: string;
  /** Name that the list gives. */
  name?: string;
  /** The number of the entry in the list. */
  reference?: string;
  programs?: readonly string[];
};

/** Addresses in a list, read on demand. */
export type Listing = Iterable<ListedAddress> | AsyncIterable<ListedAddress>;

/** One published form of a sanctions list. */
export type ListFormat = {
  /** For people: `OFAC SDN (XML)`. */
  title: string;
  /** The source of its labels unless another is given. */
  source: string;
};

export class ListError extends Error {
  override readonly name = 'ListError';
}
