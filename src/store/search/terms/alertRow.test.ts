import { expect, it } from 'vitest';
import type { Finding } from '../../../model/alert.ts';
import { analyze } from '../../../query/analyzer.ts';
import { termHash } from '../../../query/termHash.ts';
import { alertRow } from './alertRow.ts';

const finding = (text: string): Finding => ({
  tenantId: 1,
  projectId: 1,
  contractId: 1,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'HIGH',
  timestamp: 0,
  key: 'k',
  eid: 'e',
  name: 'Name',
  message: 'Message',
  meta: { text },
  tags: [],
});

const texts = {
  plain: Array.from({ length: 120_000 }, (_, n) => `w${n % 9_000}`).join(' '),
  dotted: 'ab.cd 1,000.5 '.repeat(60_000),
  Han: '日本語'.repeat(90_000),
};

it.each(Object.entries(texts))(
  'a large text in %s has all its words and yields to the event loop',
  async (_, text) => {
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const row = await alertRow(finding(text), 'u');
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
    const words = analyze(text);
    const terms = new Set(row.terms as number[]);
    expect([...new Set(words)].filter((word) => !terms.has(termHash(1, 'meta', word)))).toEqual([]);
    const odd = row.odd_words as Record<string, string> | null;
    expect(odd?.[text]).toBe(text === texts.plain ? undefined : words.join(' '));
  },
);
