import { expect, it } from 'vitest';
import { createSimChain } from '../../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../../testing/simulator/startSimulator.ts';
import { until } from '../../../testing/until.ts';
import { evmHeads } from '../evm/evmHeads.ts';
import { subscribeToHeads } from './subscribeToHeads.ts';

it('replaces a connection that is open and no longer announces heads, and only that one', async () => {
  const chain = createSimChain({ chainId: 1 });
  const [silent, sound] = await Promise.all([startSimulator({ chain }), startSimulator({ chain })]);
  const heads: number[] = [];
  const subscription = subscribeToHeads([silent.wsUrl, sound.wsUrl], evmHeads, (number) =>
    heads.push(number),
  );
  const subscribed = (simulator: typeof silent) => simulator.calls.get('eth_subscribe') ?? 0;
  /** Both are connected when a block is announced twice. */
  const untilBoth = () => {
    heads.length = 0;
    return until(() => chain.extend(1) && new Set(heads).size < heads.length);
  };
  try {
    await until(() => subscribed(silent) === 1 && subscribed(sound) === 1);
    await untilBoth();
    silent.setFaults({ silent: true });
    chain.extend(1);
    await until(() => subscribed(silent) === 2);
    silent.setFaults({});
    await untilBoth();
    expect([subscribed(silent), subscribed(sound)]).toEqual([2, 1]);
  } finally {
    subscription.stop();
    await Promise.all([silent.stop(), sound.stop()]);
  }
});
