import pg from 'pg';

type Prepared = { name: string; text: string; values: unknown[] };

/**
 * Runs a prepared statement. PostgreSQL refuses one whose columns have changed, so their names and types are read once
 * per connection, and the driver's parsers for them are cached.
 */
export function runPrepared(client: pg.ClientBase, statement: Prepared): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(
      new PreparedQuery(statement, (error, result) =>
        error ? reject(error) : resolve(result as pg.QueryResult),
      ),
    );
  });
}

/** Of the driver, beside what it declares. */
type Columns = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };
type Connection = { describe(what: object): void };
type Internals = {
  new (
    text: string,
    values: unknown[],
    callback: Callback,
  ): {
    name: string;
    _result: Columns;
    _accumulateRows: boolean;
    prepare(connection: Connection): void;
    handleReadyForQuery(connection: Connection): void;
    submit: pg.Submittable['submit'];
  };
};
type Callback = (error: Error | undefined, result: unknown) => void;

class PreparedQuery extends (pg.Query as unknown as Internals) {
  constructor({ name, text, values }: Prepared, callback: Callback) {
    super(text, values, callback);
    this.name = name;
  }

  override prepare(connection: Connection): void {
    const { columns, undescribed } = describedBy(connection);
    const cached = columns.get(this.name);
    if (cached) {
      Object.assign(this._result, cached);
      this._accumulateRows = true;
    }
    super.prepare(cached ? undescribed : connection);
  }

  /** Comes after a failure too, but then the driver has no query any more that it belongs to. */
  override handleReadyForQuery(connection: Connection): void {
    const { columns } = describedBy(connection);
    if (!columns.has(this.name)) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    super.handleReadyForQuery(connection);
  }
}

type Described = { columns: Map<string, Columns>; undescribed: Connection };
const describedByConnection = new WeakMap<Connection, Described>();

function describedBy(connection: Connection): Described {
  const described = describedByConnection.get(connection);
  if (described) return described;
  const undescribed: Connection = Object.create(connection, { describe: { value: () => undefined } });
  const added = { columns: new Map<string, Columns>(), undescribed };
  describedByConnection.set(connection, added);
  return added;
}
