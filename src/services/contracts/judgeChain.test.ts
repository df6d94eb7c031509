import { describe, expect, it } from 'vitest';
import { judgeChain } from './judgeChain.ts';

const ok = { state: 'ok', lastFault: null };
const state = { isFollowed: true, head: 100, processed: 100, processedAt: 990_000, endpoints: [ok] };
const facts = { now: 1_000_000, blockTimeMs: 12_000, isConfigured: true, contracts: 1, failing: 0, state };
const noLogs = { state: 'failing', lastFault: 'the logs of the block are missing' };
const down = { state: 'failing', lastFault: 'key 123 is not allowed at https://node' };

describe('whether a chain is seen', () => {
  it.each([
    ['nothing is watched there', { contracts: 0, state: undefined }, 'idle', null],
    ['all is well', {}, 'ok', null],
    ['a block or two are under way', { state: { ...state, head: 102 } }, 'ok', null],
    ['no node is configured', { isConfigured: false }, 'blind', /No endpoint/],
    ['no process follows it', { state: { ...state, isFollowed: false } }, 'blind', /No process/],
    ['one node of two is down', { state: { ...state, endpoints: [ok, down] } }, 'ok', null],
    [
      'all nodes are down',
      { state: { ...state, endpoints: [down, down] } },
      'blind',
      /^All 2 nodes .* no answers\.$/,
    ],
    [
      'logs are missing',
      { state: { ...state, endpoints: [noLogs] } },
      'blind',
      /^The only node .* without all their logs\.$/,
    ],
    ['no block comes', { now: 1_090_000 }, 'halted', /No new block for 100 s; one comes every 12 s/],
    [
      'blocks are not processed',
      { state: { ...state, head: 5000 }, now: 1_090_000 },
      'behind',
      /^4,900 blocks remain .* 100 s old/,
    ],
    ['detectors fail', { failing: 2 }, 'degraded', /^2 of your detectors/],
  ])('a chain is judged right when %s', (_name, change, watchState, reason) => {
    const judged = judgeChain({ ...facts, ...change });
    expect(judged.watchState).toBe(watchState);
    if (reason === null) expect(judged.watchReason).toBeNull();
    else expect(judged.watchReason).toMatch(reason);
    expect(judged.watchReason ?? '').not.toMatch(/123|https/);
  });
});
