import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { everything } from '../../model/principal.ts';
import type { Call } from '../../services/call.ts';
import type { ExportSource } from '../../store/db/exportPage.ts';
import { anonymous } from './caller.ts';
import type { Endpoint, Stream } from './endpoint.ts';
import { exportable } from './exportable.ts';

const endpoint: Endpoint = {
  method: 'POST',
  path: '/label/search',
  tag: 'Labels',
  summary: 'Search',
  reply: {},
  effect: 'read',
  handle: async () => ({ body: {} }),
};

/** An export of this many pages of one row, and which of them were read; `rights` are what the token has later. */
async function open(
  pages: number,
  text: string,
  rights: Promise<[]> = new Promise(() => {}),
): Promise<{ stream: Stream; read: number[] }> {
  const read: number[] = [];
  const source: ExportSource = {
    count: pages,
    isComplete: true,
    read: async (at) => {
      read.push(at);
      await nextTurn();
      return { lines: [JSON.stringify({ id: at, text })], next: at + 1 };
    },
  };
  const services = {
    alertFeed: { slots: { take: () => () => {} } },
    logins: { prepared: () => rights, query: () => rights },
    now: Date.now,
  };
  const call = { services, principal: anonymous, scope: everything, now: 0 } as unknown as Call;
  const { stream } = await exportable(endpoint, ['id', 'text'], async () => source).handle(call, {
    params: {},
    query: {},
    body: {},
    file: undefined,
    headers: { accept: 'application/x-ndjson' },
    isFromConsole: false,
    hasCookie: false,
  });
  return { stream: stream!, read };
}

async function lastLine(stream: Stream): Promise<string> {
  let last = '';
  for await (const piece of stream.pieces) last = String(piece);
  stream.onEnd?.();
  return last;
}

describe('an export', () => {
  it('reads no page before its reader has taken the one before', async () => {
    const { stream, read } = await open(100, 'x');
    const pieces = stream.pieces[Symbol.asyncIterator]();
    expect(read).toEqual([0]);
    for (const expected of [[0], [0, 1], [0, 1, 2]]) {
      await pieces.next();
      expect(read).toEqual(expected);
    }
    await pieces.return?.();
    expect(read).toEqual([0, 1, 2]);
    stream.onEnd?.();
  });

  it('ends with a line that says so when it is too long', async () => {
    const { stream, read } = await open(1000, 'x'.repeat(16 * 1024 * 1024));
    expect(JSON.parse(await lastLine(stream))).toEqual({
      truncated: true,
      reason: 'more than 256 MiB; narrow the search.',
    });
    expect(read.length).toBe(16);
  });

  it('ends with a line that says so when the token has lost its rights', async () => {
    const { stream } = await open(Number.POSITIVE_INFINITY, 'x', Promise.resolve([]));
    expect(JSON.parse(await lastLine(stream))).toMatchObject({
      truncated: true,
      reason: expect.stringContaining('rights'),
    });
  });
});
