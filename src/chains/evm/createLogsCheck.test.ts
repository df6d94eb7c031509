import { describe, expect, it } from 'vitest';
import { createSimChain } from '../../../testing/simulator/createSimChain.ts';
import { syntheticBlock } from '../../../testing/simulator/syntheticBlock.ts';
import { toBloom } from '../../../testing/simulator/toBloom.ts';
import type { Block } from '../../model/block.ts';
import { createLogsCheck } from './createLogsCheck.ts';
import { decodeBlock } from './decodeBlock.ts';
import { logsBloom } from './logsBloom.ts';

const chain = createSimChain({ chainId: 1 });
const empty = `0x${'0'.repeat(512)}`;
const full = `0x${'f'.repeat(512)}`;

function blockOf(n: number): { block: Block; bloom: string; raw: { logsBloom: string }; rawLogs: unknown[] } {
  const [made] = chain.extend(syntheticBlock(7, n, { transactions: 20, logs: 30 }));
  const raw = JSON.parse(String(made!.json)) as { logsBloom: string };
  const rawLogs = JSON.parse(String(made!.logsJson)) as unknown[];
  const block = decodeBlock('ethereum', raw, rawLogs, 0, () => undefined);
  return { block, bloom: raw.logsBloom, raw, rawLogs };
}

describe('logs judged by the bloom', () => {
  it('computes the bloom of a header', () => {
    const { block, bloom } = blockOf(1);
    expect(`0x${logsBloom(block.logs).toString('hex')}`).toBe(bloom);
    expect(logsBloom([]).toString('hex')).toBe(empty.slice(2));
  });

  it('accepts the logs of a block and refuses them with one left out, one too many or none', () => {
    const { fault: check } = createLogsCheck(() => 0);
    const { block, bloom } = blockOf(2);
    expect(check(block, bloom)).toBeUndefined();
    const invented = { ...block.logs[0]!, address: `0x${'ba'.repeat(20)}`, index: block.logs.length };
    expect(check({ ...block, logs: [...block.logs, invented] }, bloom)).toMatch(/do not fit/);
    expect(check({ ...block, logs: block.logs.slice(0, -5) }, bloom)).toMatch(/do not fit/);
    expect(check({ ...block, logs: [] }, bloom)).toMatch(/missing/);
  });

  it('works on chains whose bloom is constant', () => {
    const { fault: check } = createLogsCheck(() => 0);
    for (let n = 10; n < 14; n++) {
      const { block } = blockOf(n);
      expect(check(block, empty)).toBeUndefined();
      expect(check(block, full)).toBeUndefined();
      expect(check(block, undefined)).toBeUndefined();
    }
  });

  it('refuses logs under an empty bloom once the chain has shown that its blooms are exact', () => {
    const { fault: check } = createLogsCheck(() => 0);
    const first = blockOf(20);
    expect(check(first.block, first.bloom)).toBeUndefined();
    expect(check(blockOf(21).block, empty)).toMatch(/do not fit/);
  });

  it('gives up on blooms of a kind of their own after three seconds, and trusts exact ones for a minute', () => {
    let now = 0;
    const { fault: check } = createLogsCheck(() => now);
    const [first, second, third] = [blockOf(30), blockOf(31), blockOf(32)];
    const odd = toBloom([{ address: first.block.logs[0]!.address, topics: [] }]);
    expect(check(first.block, odd)).toMatch(/do not fit/);
    now = 3001;
    expect(check(first.block, odd)).toBeUndefined();
    expect(check(second.block, odd)).toBeUndefined();
    expect(check(third.block, third.bloom)).toBeUndefined();
    expect(check(second.block, odd)).toMatch(/do not fit/);
    now += 59_000;
    expect(check(second.block, odd)).toMatch(/do not fit/);
    now += 2000;
    expect(check(second.block, odd)).toBeUndefined();
  });

  it('leaves out what no one sent, as on Polygon', () => {
    const nobody = `0x${'0'.repeat(40)}`;
    const { raw, rawLogs } = blockOf(40);
    const { transactions } = raw as unknown as { transactions: Record<string, unknown>[] };
    const apart = { ...transactions[0], hash: '0xabc', from: nobody, to: nobody, transactionIndex: '0x14' };
    const log = {
      ...(rawLogs[0] as object),
      transactionHash: '0xabc',
      transactionIndex: '0x14',
      logIndex: '0x1e',
    };
    const { fault: check } = createLogsCheck(() => 0);
    const withMore = { ...raw, transactions: [...transactions, apart] };
    const lone = { ...log, address: `0x${'cd'.repeat(20)}` };
    const block = decodeBlock('polygon', withMore, [...rawLogs, lone], 0, check);
    expect(block.logs).toHaveLength(31);
  });

  it('costs less than half of the decoding of the block, for 450 logs', () => {
    const made = chain.extend(Array.from({ length: 40 }, (_, n) => syntheticBlock(3, n)));
    const decode = () =>
      made.map(({ json, logsJson }) => {
        const raw = JSON.parse(String(json)) as { logsBloom: string };
        const block = decodeBlock('ethereum', raw, JSON.parse(String(logsJson)), 0, () => undefined);
        return { block, bloom: raw.logsBloom };
      });
    const { fault: check } = createLogsCheck(() => 0);
    for (const { block, bloom } of decode()) check(block, bloom);
    // The processor's time and not the clock's, and the fastest round: others may use the machine.
    const cpuMs = (start: NodeJS.CpuUsage) => {
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000 / made.length;
    };
    const rounds = [1, 2, 3].map(() => {
      const start = process.cpuUsage();
      const blocks = decode();
      const decoded = cpuMs(start);
      const decodedAt = process.cpuUsage();
      const faults = blocks.map(({ block, bloom }) => check(block, bloom));
      const checked = cpuMs(decodedAt);
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
      return { decoded, checked };
    });
    const fastest = Math.min(...rounds.map(({ checked }) => checked));
    const decoding = Math.min(...rounds.map(({ decoded }) => decoded));
    console.log(`bloom of 450 logs: ${fastest.toFixed(3)} ms, decoding ${decoding.toFixed(3)} ms`);
    expect(fastest).toBeLessThan(decoding / 2);
  });
});
