import { render, type Sql } from '../../src/lib/sql.ts';
import type { Db, Store } from '../../src/store/db/db.ts';

export type Statement = { text: string; values: unknown[]; isPrepared: boolean };
/** What one request asked of the database. */
export type Recording = { statements: Statement[]; isTransaction: boolean };

/** A store that works as the given one and notes every statement it runs. */
export function recordStatements(store: Store): { store: Store; take(): Recording } {
  let recording: Recording = { statements: [], isTransaction: false };

  function recorded(db: Db): Db {
    const note = (statement: Sql, isPrepared: boolean) =>
      recording.statements.push({ ...render(statement), isPrepared });
    return {
      isDistributed: db.isDistributed,
      query: (statement) => {
        note(statement, false);
        return db.query(statement);
      },
      repeated: (statement) => {
        note(statement, false);
        return db.repeated(statement);
      },
      prepared: (statement) => {
        note(statement, true);
        return db.prepared(statement);
      },
    };
  }

  return {
    store: {
      ...store,
      ...recorded(store),
      transaction: (work) => {
        recording.isTransaction = true;
        return store.transaction((tx) => work(recorded(tx)));
      },
    },
    take: () => {
      const taken = recording;
      recording = { statements: [], isTransaction: false };
      return taken;
    },
  };
}
