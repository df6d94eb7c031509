import { describe, expect, it } from 'vitest';
import type { Observation, Reader } from '../model/detection.ts';
import { evaluateMatches, type Memory } from './evaluateMatches.ts';
import type { Subscriber } from './subscriber.ts';

const observation: Observation = { type: 'clock', at: 1000, newest: undefined };

function subscriber(id: number, stateKey: string, evaluate: Subscriber['evaluate']): Subscriber {
  const contract = {
    id: 1,
    tenantId: 1,
    projectId: 1,
    chainUid: 'anvil',
    address: '0x',
    implementation: null,
    name: 'C',
    addressType: 'CONTRACT',
    abi: [],
  };
  return {
    kind: 'detector',
    id,
    name: 'D',
    contract,
    interests: [],
    cooldownMs: 0,
    stateKey: () => stateKey,
    evaluate,
    toFindings: () => [],
  };
}

const count = (_: Observation, state: unknown) => ({ state: ((state as number | undefined) ?? 0) + 1 });

describe('evaluating what was matched', () => {
  const run = (one: Subscriber, memory: Memory | undefined, seen = [observation]) =>
    evaluateMatches(
      new Map([[one, seen]]),
      () => memory,
      async (asked) => asked.map(() => []),
    );

  it('keeps state from one observation to the next', async () => {
    const one = subscriber(1, 'a', count);
    const { memories } = await run(one, { own: 4, key: 'a' }, [observation, observation]);
    expect(memories.get(one)).toEqual({ own: 6, key: 'a' });
  });

  it('forgets state that was kept under other settings, but not when it last told', async () => {
    const one = subscriber(1, 'b', count);
    const { memories } = await run(one, { own: 4, key: 'a', alertAt: 3 });
    expect(memories.get(one)).toEqual({ own: 1, key: 'b', alertAt: 3 });
  });

  it('leaves nothing of one that fails and all of the others', async () => {
    const bad = subscriber(1, 'a', (_, state) => {
      if (state === 1) throw new Error('broken');
      return { state: 1 };
    });
    const good = subscriber(2, 'a', count);
    const seen = [observation, observation];
    const { memories, faults, worked } = await evaluateMatches(
      new Map([
        [bad, seen],
        [good, seen],
      ]),
      () => undefined,
      async () => [],
    );
    expect(faults).toEqual([{ subscriber: bad, message: 'broken', at: 1000 }]);
    expect([...memories.keys()]).toEqual([good]);
    expect(worked).toEqual([good]);
  });

  it('ends one that asks for ever more', async () => {
    let asked = 0;
    const greedy = subscriber(1, 'a', (_, _state, read: Reader) => {
      read.labels(`0x${asked++}`);
      return {};
    });
    const { faults } = await run(greedy, undefined);
    expect(faults).toMatchObject([{ message: expect.stringContaining('does not come to an end') }]);
  });
});
