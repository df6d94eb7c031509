import type pg from 'pg';
import { Problem } from '../../model/errors.ts';

/** A page of a search would fill the memory if each of its 10,000 records had the size of the largest request. */
const maxPageCharacters = 32 * 1024 * 1024;

/** To be called with the texts of a page as they come; throws once they are too long together. */
export function createPageLimit(): (text: string) => void {
  let length = 0;
  return (text) => {
    length += text.length;
    if (length > maxPageCharacters)
      throw new Problem(
        'page-too-large',
        'The records of this page are larger than 32 MiB together. Ask for fewer by a smaller `size`.',
      );
  };
}

/** Clients whose statements return no more than a page may have. The driver drops the rest of a statement once a value is refused. */
export function limitPages(Client: typeof pg.Client, types: pg.CustomTypesConfig): typeof pg.Client {
  return class extends Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      let check = createPageLimit();
      const getTypeParser = (oid: number, format?: 'text') => {
        const parse = types.getTypeParser(oid, format) as (text: string) => unknown;
        return (text: string) => {
          check(text);
          return parse(text);
        };
      };
      // The pool hides the password in its options, so that a copy with other types would lack it.
      Object.assign(this, { _types: { getTypeParser } });
      // Comes once for each statement, also for a prepared one, whose parsers are kept.
      this.connection.on('readyForQuery', () => {
        check = createPageLimit();
      });
    }
  };
}
