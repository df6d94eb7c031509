import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();

describe('pause_state', () => {
  it('reports a pause and of its end, or of the one that is wanted', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n);
    const both = await chain.watch('pause_state', {}, token);
    const begin = await chain.watch('pause_state', { notifyOn: 'paused' }, token);
    const end = await chain.watch('pause_state', { notifyOn: 'unpaused', severity: 'INFO' }, token);
    await token.send(owner, 'pause');
    await token.send(owner, 'unpause');
    const paused = { severity: 'HIGH', message: `Watched was paused by ${owner}.`, meta: { isPaused: true } };
    const unpaused = { message: `Watched was unpaused by ${owner}.`, meta: { isPaused: false } };
    expect(await both.catchUp()).toMatchObject([paused, unpaused]);
    expect(await begin.catchUp()).toMatchObject([paused]);
    expect(await end.catchUp()).toMatchObject([{ ...unpaused, severity: 'INFO' }]);
  });

  it('keeps quiet about other contracts and about a pause that failed', async () => {
    const { anvil } = chain;
    const [owner, stranger] = anvil.accounts;
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n);
    const other = await anvil.deploy(artifacts.Token, 'Other', 'OTH', 18, 10n);
    const observer = await chain.watch('pause_state', {}, token);
    await other.send(owner, 'pause');
    await anvil.send({ from: stranger, to: token.address, data: token.encode('pause') });
    expect(await observer.catchUp()).toEqual([]);
  });

  it('refuses a notifyOn that it does not know', async () => {
    const [address] = chain.anvil.accounts;
    await expect(chain.watch('pause_state', { notifyOn: 'never' }, { address })).rejects.toThrow(
      '/notifyOn must be one of both, paused, unpaused',
    );
  });
});
