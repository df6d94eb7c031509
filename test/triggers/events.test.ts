import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeTrigger } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain(observeTrigger);
let victim: Contract;
beforeAll(async () => {
  victim = await chain.anvil.deploy(artifacts.Victim);
});

const ping = 'Ping(uint256 indexed id, address who, string note)';
const configured =
  'Configured(string indexed name, (uint256 id, address who, bytes4[] tags) settings, bool on)';

describe('EVENT_EMITTED', () => {
  it('reports the event with its values, and of no other', async () => {
    const [sender] = chain.anvil.accounts;
    const trigger = await chain.watch('EVENT_EMITTED', { signature: ping }, victim);
    await victim.send(sender, 'pingMany', 2n);
    await victim.send(sender, 'configure', 'x', { id: 1n, who: sender, tags: [] }, true);
    expect(await trigger.catchUp()).toMatchObject([
      {
        message: `Watched emitted Ping(id: 0, who: ${sender}, note: many) in a transaction of ${sender}.`,
        meta: { event: 'Ping', args: { id: '0', who: sender, note: 'many' } },
      },
      { meta: { args: { id: '1' } } },
    ]);
  });

  it('reports every event when none is named', async () => {
    const [sender] = chain.anvil.accounts;
    const named = await chain.watch('EVENT_EMITTED', {}, { ...victim, contract: { abi: victim.abi } });
    const bare = await chain.watch('EVENT_EMITTED', {}, victim);
    await victim.send(sender, 'ping', 5n, 'hi');
    expect(await named.catchUp()).toMatchObject([{ meta: { event: 'Ping', args: { note: 'hi' } } }]);
    expect(await bare.catchUp()).toMatchObject([
      { message: expect.stringContaining('an event with topic 0x') },
    ]);
  });

  it('ignores the same event of another contract', async () => {
    const other = await chain.anvil.deploy(artifacts.Victim);
    const trigger = await chain.watch('EVENT_EMITTED', { signature: ping }, victim);
    await other.send(chain.anvil.accounts[0], 'ping', 5n, 'hi');
    expect(await trigger.catchUp()).toEqual([]);
  });
});

describe('EVENT_PARAMETER', () => {
  it.each([
    ['names and what is indexed from the signature', ping, 'id', false],
    ['names from the ABI', 'Ping(uint256,address,string)', 'id', true],
    ['positions and what is indexed from the log', 'Ping(uint256,address,string)', '0', false],
  ])('takes %s', async (_, signature, name, hasAbi) => {
    const [sender] = chain.anvil.accounts;
    const trigger = await chain.watch(
      'EVENT_PARAMETER',
      { signature, conditions: [{ name, operator: '>', value: '0x5' }] },
      { ...victim, contract: { abi: hasAbi ? victim.abi : [] } },
    );
    await victim.send(sender, 'ping', 5n, 'no');
    await victim.send(sender, 'ping', 6n, 'yes');
    expect((await trigger.catchUp()).map(({ message }) => message)).toEqual([expect.stringContaining('yes')]);
  });

  it('compares texts without case where that is asked for', async () => {
    const [sender] = chain.anvil.accounts;
    const conditions = [{ name: 'note', operator: 'contains', value: 'Refund', ignoreCase: true }];
    const trigger = await chain.watch('EVENT_PARAMETER', { signature: ping, conditions }, victim);
    await victim.send(sender, 'ping', 1n, 'no reFUND of this');
    await victim.send(sender, 'ping', 2n, 'fund');
    expect(await trigger.catchUp()).toMatchObject([{ meta: { args: { id: '1' } } }]);
    expect(trigger.faults).toEqual([]);
  });

  it('compares members of structs, and an indexed text by its hash', async () => {
    const [sender, other] = chain.anvil.accounts;
    const conditions = [
      { name: 'name', operator: '==', value: 'limit' },
      { name: 'settings.who', operator: '!=', value: sender },
    ];
    const trigger = await chain.watch('EVENT_PARAMETER', { signature: configured, conditions }, victim);
    await victim.send(sender, 'configure', 'limit', { id: 1n, who: other, tags: [] }, true);
    await victim.send(sender, 'configure', 'limit', { id: 2n, who: sender, tags: [] }, true);
    await victim.send(sender, 'configure', 'other', { id: 3n, who: other, tags: [] }, true);
    expect(await trigger.catchUp()).toMatchObject([{ meta: { args: { settings: { id: '1' } } } }]);
    expect(trigger.faults).toEqual([]);
  });
});
