/** An address as a sanctions list names it. */
export type ListedAddress = {
  /** Where the list names it: a line, or an element of JSON. */
  at: string;
  address: string;
  /** The code of the currency, such as XBT; undefined where the list has only the address. */
  currency?: string;
  /** Whom the list names. */
  name?: string;
  /** The number of the entry in the list. */
  reference?: string;
  programs?: readonly string[];
};

/** What an element or a line of a list names, found as it is asked for. */
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
