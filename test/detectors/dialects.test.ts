import { beforeAll, describe, expect, it } from 'vitest';
import { parseEvent, topicOf } from '../../src/chains/evm/abi/abi.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const [one, two] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
let speaker: Contract;
beforeAll(async () => {
  speaker = await chain.anvil.deploy(artifacts.Speaker);
});

const toWord = (value: string | bigint) => BigInt(value).toString(16).padStart(64, '0');

/** Emits an event whose values are all of fixed size; `indexed` in the signature counts. */
async function say(signature: string, ...values: (string | bigint)[]) {
  const event = parseEvent(signature);
  const words = event.inputs.map((input, n) => ({ isIndexed: input.indexed, word: toWord(values[n]!) }));
  const topics = words.flatMap(({ isIndexed, word }) => (isIndexed ? [`0x${word}`] : []));
  const data = words.flatMap(({ isIndexed, word }) => (isIndexed ? [] : [word])).join('');
  await speaker.send(chain.anvil.accounts[0], 'say', [topicOf(event), ...topics], `0x${data}`);
}

describe('proxies of every form', () => {
  it.each([
    ['Upgraded(uint256 version, address indexed next)', [7n, two]],
    ['NewImplementation(address previous, address next)', [one, two]],
    ['NewImplementation(address indexed previous, address indexed next)', [one, two]],
    ['ProxyUpdated(address indexed next, address indexed previous)', [two, one]],
    ['CodeUpdated(bytes32 uuid, address next)', [1n, two]],
    ['ContractUpgraded(address previous, address next)', [one, two]],
    ['TargetUpdated(address next)', [two]],
    ['AggregatorConfirmed(address indexed previous, address indexed next)', [one, two]],
  ] as const)('are upgraded by %s', async (signature, values) => {
    const observer = await chain.watch('proxy_upgrade', {}, speaker);
    await say(signature, ...values);
    const previous = (values as readonly unknown[]).includes(one) ? { previousImplementation: one } : {};
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { implementation: two, ...previous } },
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('are about to be upgraded by NewPendingImplementation, which is no upgrade yet', async () => {
    const observer = await chain.watch('proxy_upgrade', {}, speaker);
    await say('NewPendingImplementation(address previous, address next)', 0n, two);
    await say('NewPendingImplementation(address previous, address next)', two, 0n);
    expect(await observer.catchUp()).toMatchObject([{ meta: { implementation: two } }]);
  });

  it('keep their code in the slot of zeppelinos, as USDC does', async () => {
    const { anvil } = chain;
    const slot = BigInt('0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3');
    const [first, second] = [await anvil.deploy(artifacts.Victim), await anvil.deploy(artifacts.VaultV1)];
    const proxy = await anvil.deploy(artifacts.Victim);
    await anvil.setStorage(proxy.address, slot, first.address);
    await anvil.mine();
    const upgrade = await chain.watch('proxy_upgrade', {}, proxy);
    const hash = await chain.watch('contract_hash_verification', {}, proxy);
    await anvil.mine();
    await anvil.setStorage(proxy.address, slot, second.address);
    await anvil.mine();
    expect(await upgrade.catchUp()).toMatchObject([
      { meta: { event: null, implementation: second.address, previousImplementation: first.address } },
    ]);
    expect(await hash.catchUp()).toMatchObject([{ meta: { address: second.address } }]);
  });

  it('stand before one another: a minimal proxy before a proxy with a beacon, whose upgrade is seen', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const [first, second] = [await anvil.deploy(artifacts.VaultV1), await anvil.deploy(artifacts.VaultV2)];
    const beacon = await anvil.deploy(artifacts.UpgradeableBeacon, first.address, owner);
    const proxy = await anvil.deploy(artifacts.BeaconProxy, beacon.address, '0x');
    const factory = await anvil.deploy(artifacts.Factory);
    const { logs } = await factory.send(owner, 'clone', proxy.address);
    const clone = { address: `0x${logs[0]!.topics[1]!.slice(26)}` };
    const observers = await Promise.all(
      ['proxy_upgrade', 'contract_hash_verification'].map((name) => chain.watch(name, {}, clone)),
    );
    await anvil.mine();
    await beacon.send(owner, 'upgradeTo', second.address);
    const [upgrade, hash] = await Promise.all(observers.map((observer) => observer.catchUp()));
    const change = { implementation: second.address, previousImplementation: first.address };
    expect(upgrade).toMatchObject([{ meta: { ...change, beacon: beacon.address } }]);
    expect(hash).toMatchObject([{ meta: { address: second.address } }]);
  });

  it('change in the very block of the first look', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const [first, second] = [await anvil.deploy(artifacts.VaultV1), await anvil.deploy(artifacts.VaultV2)];
    const proxy = await anvil.deploy(artifacts.TellingProxy, first.address);
    const upgrade = await chain.watch('proxy_upgrade', {}, proxy);
    const hash = await chain.watch('contract_hash_verification', {}, proxy);
    await proxy.send(owner, 'change', second.address);
    expect(await upgrade.catchUp()).toMatchObject([{ meta: { previousImplementation: first.address } }]);
    expect(await hash.catchUp()).toMatchObject([{ meta: { address: second.address } }]);
  });
});

describe('ownership of every form', () => {
  it.each([
    ['OwnershipTransferred(address previous, address next)', [one, two], {}],
    ['LogSetOwner(address indexed next)', [two], {}],
    ['NewAdmin(address previous, address next)', [one, two], {}],
    ['NewAdmin(address indexed next)', [two], {}],
    ['NewPendingAdmin(address previous, address next)', [0n, two], { isPending: true }],
    ['NewPendingAdmin(address indexed next)', [two], { isPending: true }],
    ['OwnerNominated(address next)', [two], { isPending: true }],
    ['ProxyOwnerUpdate(address next, address previous)', [two, one], {}],
  ] as const)('changes by %s', async (signature, values, meta) => {
    const observer = await chain.watch('ownership_change', {}, speaker);
    const trusting = await chain.watch('ownership_change', { allowedOwners: [two] }, speaker);
    await say(signature, ...values);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { newOwner: two, ...meta } },
    ]);
    expect(await trusting.catchUp()).toEqual([]);
  });

  it('is not about to change when a nomination is withdrawn', async () => {
    const observer = await chain.watch('ownership_change', {}, speaker);
    await say('NewPendingAdmin(address previous, address next)', two, 0n);
    expect(await observer.catchUp()).toEqual([]);
  });
});

describe('rights of every form', () => {
  it.each([
    ['Rely(address indexed usr)', [two], 'may now act for Watched'],
    ['MinterConfigured(address indexed minter, uint256 allowance)', [two, 5n], 'minter'],
    ['OwnerAddition(address indexed owner)', [two], 'owner'],
    [
      'RoleGranted(uint64 indexed role, address indexed account, uint32 delay, uint48 since, bool isNew)',
      [3n, two, 0n, 0n, 1n],
      'role',
    ],
    ['ValidatorRemoved(address indexed validator)', [two], 'validator'],
  ] as const)('change by %s', async (signature, values, words) => {
    const observer = await chain.watch('access_control_change', {}, speaker);
    await say(signature, ...values);
    const found = await observer.catchUp();
    expect(found).toMatchObject([{ severity: 'HIGH', meta: { account: two } }]);
    expect(found[0]?.message).toContain(words);
  });

  it('change by a note of Maker, which names the function instead of an event', async () => {
    const observer = await chain.watch('access_control_change', {}, speaker);
    const topics = [`0x65fae35e${'0'.repeat(56)}`, `0x${toWord(one)}`, `0x${toWord(two)}`];
    await speaker.send(chain.anvil.accounts[0], 'say', topics, '0x');
    expect(await observer.catchUp()).toMatchObject([{ meta: { event: 'Rely', account: two } }]);
  });
});

describe('pauses of every form', () => {
  it.each([
    ['PausedStateChanged(bool paused)', [1n], true],
    ['PausedStateChanged(bool paused)', [0n], false],
    ['ReservePaused(address indexed asset, bool paused)', [two, 1n], true],
    ['Stopped()', [], true],
    ['Resumed()', [], false],
    ['EmergencyShutdown(bool active)', [1n], true],
    ['Paused(address indexed account, uint256 newPausedStatus)', [two, 3n], true],
    [
      'PauseAction(bool supply, bool transfer, bool withdraw, bool absorb, bool buy)',
      [0n, 0n, 1n, 0n, 0n],
      true,
    ],
  ] as const)('are seen in %s', async (signature, values, isPaused) => {
    const observer = await chain.watch('pause_state', {}, speaker);
    await say(signature, ...values);
    expect(await observer.catchUp()).toMatchObject([{ severity: 'HIGH', meta: { isPaused } }]);
  });
});

describe('tokens of every form', () => {
  it('mint without an event', async () => {
    const [owner] = chain.anvil.accounts;
    const token = await chain.anvil.deploy(artifacts.PlainToken);
    await token.send(owner, 'mint', owner, 10_000n);
    const observer = await chain.watch('circulation_supply', {}, token);
    await token.send(owner, 'mintSilently', owner, 50n);
    await token.send(owner, 'mint', owner, 60n);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'mintSilently', owner, 5_000n);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { kind: 'mint', rawAmount: '5000', isSilent: true } },
    ]);
    await token.send(owner, 'mint', owner, 5_000n);
    expect(await observer.catchUp()).toMatchObject([{ meta: { kind: 'mint', rawAmount: '5000' } }]);
  });

  it('leave a contract when no token is named, but only if it had them', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    const token = await anvil.deploy(artifacts.PlainToken);
    const fake = await anvil.deploy(artifacts.FakeToken);
    await token.send(owner, 'mint', vault.address, 5n * 10n ** 18n);
    const observer = await chain.watch('large_transfer', { threshold: '4' }, vault);
    await token.send(owner, 'mint', vault.address, 5n * 10n ** 18n);
    await fake.send(owner, 'pretend', vault.address, owner, 10n ** 12n);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'drainToken', token.address, owner);
    expect(await observer.catchUp()).toMatchObject([{ meta: { token: token.address, amount: '10' } }]);
  });

  it('are of many kinds in one contract (ERC-1155)', async () => {
    const observer = await chain.watch('large_transfer', { threshold: '100' }, speaker);
    const single =
      'TransferSingle(address indexed by, address indexed from, address indexed to, uint256 id, uint256 value)';
    await say(single, one, one, two, 7n, 99n);
    await say(single, one, one, two, 7n, 100n);
    const topic = topicOf(parseEvent('TransferBatch(address,address,address,uint256[],uint256[])'));
    const data = [64n, 160n, 2n, 7n, 8n, 2n, 5n, 500n].map(toWord).join('');
    const ends = [one, one, two].map((address) => `0x${toWord(address)}`);
    await speaker.send(chain.anvil.accounts[0], 'say', [topic, ...ends], `0x${data}`);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { from: one, to: two, tokenId: '7', rawAmount: '100' } },
      { meta: { tokenId: '8', rawAmount: '500' } },
    ]);
    expect(observer.faults).toEqual([]);
  });
});
