import { expect, it } from 'vitest';
import { type AssetFlows, flowsOf, type OutflowState, withFlows } from './outflowState.ts';
import { outflowWithin } from './outflows.ts';

const minute = 60_000;
const huge = (2n ** 255n).toString();

/** The flows of a token that left in each of these minutes. */
const flows = (minutes: readonly number[], out: string): AssetFlows => ({
  buckets: minutes.map((at) => ({ at: at * minute, out, before: huge })),
  isOver: false,
  trust: 'known',
});

const all = Array.from({ length: 30 }, (_, at) => at);
const tokenOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const withMany = (count: number): OutflowState | undefined => {
  let state: OutflowState | undefined;
  for (let n = 0; n < count; n++)
    state = withFlows(state, { asset: tokenOf(n), trust: 'known' }, {}, flows(all, huge));
  return state;
};

it('stays small enough to be stored, however many tokens with however large amounts are called', () => {
  const state = withMany(200);
  expect(JSON.stringify(state).length).toBeLessThan(60_000);
  expect(flowsOf(state, tokenOf(199), {}).buckets).toHaveLength(30);
});

it('forgets no more than a third of a window of a token that others push out of its place', () => {
  const real = 'real';
  let state = withFlows(undefined, { asset: real, trust: 'known' }, {}, flows(all, '1'));
  for (let n = 0; n < 10; n++)
    state = withFlows(state, { asset: tokenOf(n), trust: 'known' }, {}, flows([30], '1'));
  const pushedOut = flowsOf(state, real, {});
  expect(pushedOut.buckets).toHaveLength(3);
  expect(outflowWithin(pushedOut, 30 * minute, 29 * minute)).toBe(30n);
  // Half a window later.
  expect(outflowWithin(pushedOut, 30 * minute, 44 * minute)).toBeGreaterThanOrEqual(10n);
});
