import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { type AuditFilter, pageAudit } from './audit.ts';

const pageSize = 500;

/** The audit log as JSON lines, chain by chain from the oldest entry on; one page is in memory at a time. */
export async function* streamAudit(db: Db, scope: Scope, filter: AuditFilter): AsyncGenerator<string> {
  for (let after = { chain: -1, seq: 0 }; ; ) {
    const page = await pageAudit(db, scope, filter, after, pageSize);
    if (page.length > 0) yield page.map(({ entry }) => `${JSON.stringify(entry)}\n`).join('');
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = { chain: last.chain, seq: last.entry.seq };
  }
}
