import { describe, expect, it } from 'vitest';
import type { Finding, Severity } from '../model/alert.ts';
import type { Detection, Observation, Reader } from '../model/detection.ts';
import { evaluateMatches, type SubscriberState } from './evaluateMatches.ts';
import type { Subscriber } from './subscriber.ts';

const observation: Observation = { type: 'clock', at: 1000, newest: undefined };

function subscriber(id: number, stateKey: string, evaluate: Subscriber['evaluate']): Subscriber {
  const contract = {
    id: 1,
    tenantId: 1,
    projectId: 1,
    chainUid: 'anvil' as const,
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
    isSevere: false,
    severity: 'LOW',
    cooldownMs: 0,
    stateKey: () => stateKey,
    evaluate,
    toFindings: ({ message }) => [{ message } as Finding],
  };
}

const count = (_: Observation, state: unknown) => ({ state: ((state as number | undefined) ?? 0) + 1 });

describe('evaluating what was matched', () => {
  const run = (one: Subscriber, memory: SubscriberState | undefined, seen = [observation]) =>
    evaluateMatches(
      new Map([[one, seen]]),
      () => memory,
      async (asked) => asked.map(() => []),
    );

  it('keeps state from one observation to the next', async () => {
    const one = subscriber(1, 'a', count);
    const { states } = await run(one, { own: 4, key: 'a' }, [observation, observation]);
    expect(states.get(one)).toEqual({ own: 6, key: 'a' });
  });

  it('forgets state that was kept under other settings, but not when it last reported', async () => {
    const one = subscriber(1, 'b', count);
    const { states } = await run(one, { own: 4, key: 'a', alertAt: 3 });
    expect(states.get(one)).toEqual({ own: 1, key: 'b', alertAt: 3 });
  });

  it('skips only what fails: state and findings of the rest of the block remain, as do all of the others', async () => {
    const seen = [1, 2, 3, 4].map((at) => ({ ...observation, at }));
    const bad = subscriber(1, 'a', (shown, state) => {
      const [at, sum] = [shown.type === 'clock' ? shown.at : 0, (state as number | undefined) ?? 0];
      if (at === 2 || at === 3) throw new Error(`broken at ${at}`);
      return { state: sum + at, detections: [{ message: `sum ${sum + at}`, fields: {} }] };
    });
    const good = subscriber(2, 'a', count);
    const { states, faults, succeeded, findings, evaluations } = await evaluateMatches(
      new Map([
        [bad, seen],
        [good, seen],
      ]),
      () => undefined,
      async () => [],
    );
    expect(faults).toEqual([{ subscriber: bad, message: 'broken at 2', at: 2 }]);
    expect(states.get(bad)).toEqual({ own: 5, key: 'a' });
    expect(states.get(good)).toEqual({ own: 4, key: 'a' });
    expect(findings.map(({ message }) => message)).toEqual(['sum 1', 'sum 5']);
    expect(succeeded).toEqual([good]);
    expect(evaluations).toBe(6);
  });

  it('keeps nothing of an observation whose findings cannot all be written', async () => {
    const one: Subscriber = {
      ...subscriber(1, 'a', () => ({
        state: 1,
        detections: [
          { message: 'first', fields: {} },
          { message: '', fields: {} },
        ],
      })),
      toFindings(found) {
        if (found.message === '') throw new Error('nothing to say');
        return [{ message: found.message } as Finding];
      },
    };
    const { states, findings, faults } = await run(one, undefined);
    expect(faults).toMatchObject([{ message: 'nothing to say' }]);
    expect([...findings, ...states]).toEqual([]);
  });

  it('holds back only what is no worse than what the cooldown was started for', async () => {
    const reports: [at: number, severity: Severity | undefined, magnitude: number | undefined][] = [
      [0, 'LOW', 5],
      [1, 'LOW', 9],
      [2, 'LOW', 10],
      [3, 'CRITICAL', 6],
      [4, 'HIGH', 19],
      [5, undefined, 99],
      [1100, 'LOW', 1],
    ];
    const one = {
      ...subscriber(1, 'a', (shown) => {
        const [at, severity, magnitude] = reports.find(
          ([time]) => shown.type === 'clock' && time === shown.at,
        )!;
        const measure = { ...(severity && { severity }), ...(magnitude !== undefined && { magnitude }) };
        return { detections: [{ message: String(at), fields: {}, ...measure }] };
      }),
      cooldownMs: 1000,
      toFindings: ({ message, fields }: Detection) => [
        { message, severity: 'HIGH', meta: fields } as unknown as Finding,
      ],
    };
    const seen = reports.map(([at]) => ({ ...observation, at }));
    const { findings, states } = await run(one, undefined, seen);
    expect(findings.map(({ message, meta }) => [message, meta.heldBack])).toEqual([
      ['0', undefined],
      ['2', 1],
      ['3', undefined],
      ['5', 1],
      ['1100', undefined],
    ]);
    expect(states.get(one)).toEqual({
      alertAt: 1100,
      held: 0,
      isOpen: true,
      alertSeverity: 30,
      alertMagnitude: 1,
    });
  });

  it('asks for all observations at once, in as many rounds as their questions follow from each other', async () => {
    const seen = Array.from({ length: 150 }, (_, at) => ({ ...observation, at }));
    let evaluations = 0;
    const one = subscriber(1, 'a', (shown, state, read) => {
      evaluations++;
      const at = shown.type === 'clock' ? shown.at : 0;
      const [label] = read.labels(`0x${at}`);
      const funding = read.funding(label!.address);
      return { state: [...((state as string[] | undefined) ?? []), funding!.source] };
    });
    const rounds: number[] = [];
    const { states, faults } = await evaluateMatches(
      new Map([[one, seen]]),
      () => undefined,
      async (asked) => {
        rounds.push(asked.length);
        return asked.map((request) =>
          request.type === 'labels'
            ? [{ tenantId: null, address: `${request.address}a` }]
            : { source: request.type === 'funding' ? request.address : '' },
        );
      },
    );
    expect(faults).toEqual([]);
    expect(rounds).toEqual([150, 150]);
    expect(states.get(one)?.own).toEqual(seen.map(({ at }) => `0x${at}a`));
    expect(evaluations).toBeLessThanOrEqual(3 * seen.length);
  });

  it('comes to the same when what is asked follows from the state, without evaluating for ever', async () => {
    const seen = Array.from({ length: 100 }, () => observation);
    let evaluations = 0;
    const one = subscriber(1, 'a', (_, state, read) => {
      evaluations++;
      const at = (state as number | undefined) ?? 0;
      read.labels(`0x${at}`);
      return { state: at + 1 };
    });
    const { states, faults } = await run(one, undefined, seen);
    expect(faults).toEqual([]);
    expect(states.get(one)?.own).toBe(100);
    expect(evaluations).toBeLessThan(11 * seen.length);
  });

  it('ends one that asks for ever more', async () => {
    let asked = 0;
    const greedy = subscriber(1, 'a', (_, _state, read: Reader) => {
      read.labels(`0x${asked++}`);
      return {};
    });
    const { faults } = await run(greedy, undefined, [observation, observation]);
    expect(faults).toMatchObject([{ message: expect.stringContaining('does not end') }]);
    expect(asked).toBeLessThan(60);
  });
});
