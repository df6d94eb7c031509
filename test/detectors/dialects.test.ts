import { beforeAll, describe, expect, it } from 'vitest';
import { functionSelector, parseEvent, topicOf } from '../../src/codecs/evm/abi.ts';
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

  it('leave one id after the other (ERC-1155), net in each transaction', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const token = await anvil.deploy(artifacts.MultiToken);
    const vault = await anvil.deploy(artifacts.VaultV1);
    await token.send(owner, 'mint', vault.address, 7n, 100n);
    await token.send(owner, 'mint', vault.address, 8n, 100n);
    const settings = { token: token.address, tokenId: '7' };
    const observer = await chain.watch('outflow_rate', settings, vault);
    await token.send(owner, 'move', vault.address, owner, 8n, 90n);
    await token.send(owner, 'move', vault.address, owner, 7n, 10n);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'move', vault.address, owner, 7n, 15n);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { tokenId: '7', rawOutflow: '25', balanceBefore: '100', percent: 25 } },
    ]);
    expect(observer.faults).toEqual([]);
  });
});

describe('owners that change without an event', () => {
  it('are seen at the next transaction that touches the contract, once', async () => {
    const { anvil } = chain;
    const [owner, other] = anvil.accounts;
    const contract = await anvil.deploy(artifacts.SilentlyOwned);
    const caller = await anvil.deploy(artifacts.Victim);
    const observer = await chain.watch('ownership_change', {}, contract);
    await contract.send(owner, 'use');
    expect(await observer.catchUp()).toEqual([]);
    await contract.send(owner, 'setOwner', other);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'CRITICAL',
        message: `The owner of Watched changed from ${owner} to ${other}. No event reported it.`,
        meta: { getter: 'owner()', previousOwner: owner, newOwner: other },
      },
    ]);
    // An inner call alone does not touch it.
    await caller.send(owner, 'forward', contract.address, contract.encode('setOwner', owner));
    expect(await observer.catchUp()).toEqual([]);
    await contract.send(owner, 'use');
    await contract.send(owner, 'use');
    expect(await observer.catchUp()).toMatchObject([{ meta: { newOwner: owner } }]);
    expect(observer.faults).toEqual([]);
  });

  it('are seen in the first block that is watched, and not when that is switched off or expected', async () => {
    const [owner, other] = chain.anvil.accounts;
    const contract = await chain.anvil.deploy(artifacts.SilentlyOwned);
    const first = await chain.watch('ownership_change', {}, contract);
    const off = await chain.watch('ownership_change', { checkOwner: false }, contract);
    const expecting = await chain.watch('ownership_change', { allowedOwners: [other] }, contract);
    await contract.send(owner, 'setOwner', other);
    expect(await first.catchUp()).toMatchObject([{ meta: { newOwner: other } }]);
    expect(await off.catchUp()).toEqual([]);
    expect(await expecting.catchUp()).toEqual([]);
  });
});

describe('governance of every family', () => {
  const plan = (target: string, eta: bigint) =>
    [0n, 64n, 164n].map(toWord).join('') +
    'a'.repeat(8) +
    [target, 1n, 128n, eta].map((word) => toWord(word)).join('');

  it('is reported by the events of Aave, Aragon and Sky', async () => {
    const observer = await chain.watch('governance', { minDelay: '1 s' }, speaker);
    await say('ProposalQueued(uint256 id, uint256 executionTime, address indexed by)', 5n, 10n ** 12n, one);
    await say('ProposalExecuted(uint256 id, address indexed by)', 5n, one);
    await say(
      'ProposalCreated(uint256 indexed id, address indexed by, uint8 indexed level, bytes32 hash)',
      6n,
      one,
      1n,
      9n,
    );
    await say('ProposalQueued(uint256 indexed id, uint128 votesFor, uint128 votesAgainst)', 6n, 2n, 1n);
    await say('ProposalExecuted(uint256 indexed id)', 6n);
    await say('PayloadQueued(uint40 id)', 7n);
    await say('PayloadExecuted(uint40 id)', 7n);
    await say('ExecuteVote(uint256 indexed id)', 8n);
    await say('Lift(address indexed whom)', two);
    const found = await observer.catchUp();
    expect(found.map(({ message }) => message)).toEqual([
      'Proposal 5 of Watched is queued for execution. It can be executed in more than a hundred years at the earliest.',
      'Proposal 5 of Watched was executed.',
      `${one} made proposal 6 to Watched.`,
      'Proposal 6 of Watched is queued for execution.',
      'Proposal 6 of Watched was executed.',
      'Payload 7 of Watched is queued for execution.',
      'Payload 7 of Watched was executed.',
      'Vote 8 of Watched was executed.',
      `${two} has the most votes of Watched and may act for it.`,
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('is reported with the calls that are to be made', async () => {
    const observer = await chain.watch('governance', {}, speaker);
    const event = parseEvent(
      'PayloadCreated(uint40 indexed, address indexed, (address,bool,uint8,uint256,string,bytes)[], uint8 indexed)',
    );
    const action = [two, 1n, 1n, 3n, 192n, 224n, 0n, 0n].map((word) => toWord(word)).join('');
    const topics = [7n, one, 1n].map((word) => `0x${toWord(word)}`);
    const data = `0x${[32n, 1n, 32n].map(toWord).join('')}${action}`;
    await speaker.send(chain.anvil.accounts[0], 'say', [topicOf(event), ...topics], data);
    expect(await observer.catchUp()).toMatchObject([
      {
        message: expect.stringContaining(`${one} registered payload 7 at Watched. Calls: `),
        meta: { actions: [{ target: two, withDelegateCall: true, value: '3' }] },
      },
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('is reported by the notes of Maker, with the time that a plan leaves', async () => {
    const observer = await chain.watch('governance', { minDelay: '1 h' }, speaker);
    const [sender] = chain.anvil.accounts;
    const note = (signature: string, first: string | bigint, data = '0x') => {
      const topics = [one, first, 0n].map((word) => `0x${toWord(word)}`);
      return speaker.send(sender, 'say', [functionSelector(signature).padEnd(66, '0'), ...topics], data);
    };
    const now = BigInt((await chain.anvil.block()).timestamp);
    await note('lift(address)', two);
    await note('plot(address,bytes32,bytes,uint256)', two, `0x${plan(two, now + 60n)}`);
    await note('exec(address,bytes32,bytes,uint256)', two, `0x${plan(two, now + 60n)}`);
    await note('setDelay(uint256)', 7200n);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'MEDIUM', meta: { event: 'lift', whom: two } },
      { severity: 'HIGH', meta: { event: 'plot', target: two, eta: String(now + 60n), isShort: true } },
      { severity: 'MEDIUM', meta: { event: 'exec', target: two } },
      { severity: 'MEDIUM', meta: { event: 'setDelay', delaySeconds: 7200 } },
    ]);
    expect(observer.faults).toEqual([]);
  });
});
