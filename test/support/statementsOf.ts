import pg from 'pg';
import { vi } from 'vitest';

export type Statement = { text: string; values: unknown[] };

/** The statements that this asks the database whose text matches, each text once, with the values of the last time. */
export async function statementsOf(wanted: RegExp, ask: () => Promise<void>): Promise<Statement[]> {
  const found = new Map<string, Statement>();
  const original = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const [config, values = []] = args as [string | Statement, unknown[]?];
    const { text, values: own = values } = typeof config === 'string' ? { text: config } : config;
    if (wanted.test(text)) found.set(text, { text, values: own });
    return Reflect.apply(original, this, args) as never;
  });
  try {
    await ask();
  } finally {
    spy.mockRestore();
  }
  return [...found.values()];
}
