import { eventTopic } from '../../../src/codecs/evm/abi.ts';
import { cast, implementationSlot } from './cast.ts';
import { coin, type LogSpec, toTopic, type World, word } from './createWorld.ts';

/** Something that goes wrong, and the detectors that must find it. */
export type Incident = {
  readonly name: string;
  readonly finds: readonly string[];
  /** Fills the block; called once for each of `blocks` blocks. */
  run(world: World, step: number): void;
  readonly blocks?: number;
  /** How long after the one before its block comes. */
  readonly intervalMs?: number;
  /** The chain drops so many blocks. */
  readonly reorg?: number;
};

const zero = `0x${'0'.repeat(40)}`;
const {
  token,
  usd,
  vault,
  pool,
  lending,
  bridge,
  safe,
  governor,
  proxy,
  feed,
  stableFeed,
  wallet,
  attacker,
} = cast;

const event = (
  emitter: string,
  signature: string,
  indexed: readonly string[] = [],
  data: readonly (bigint | string)[] = [],
): LogSpec => ({
  address: emitter,
  topics: [eventTopic(signature), ...indexed.map(toTopic)],
  data: `0x${data.map(word).join('')}`,
});

function emit(name: string, finds: readonly string[], log: LogSpec): Incident {
  return {
    name,
    finds,
    run: (world) => world.send({ from: attacker, to: log.address, input: '0x12345678', logs: [log] }),
  };
}

/** The attacker's own contract takes tokens out of a contract, which is only named in the log. */
const take = (world: World, asset: string, from: string, amount: bigint, more: readonly LogSpec[] = []) =>
  world.send({
    from: attacker,
    to: thief,
    input: '0xdeadbeef',
    gas: 900_000,
    logs: [...more, world.transfer(asset, from, attacker, amount)],
  });

const thief = `${attacker.slice(0, -4)}beef`;
const withdraw = '0x2e1a7d4d';

/** The attacker's contract takes coins of the bridge by inner calls, all at once or in three calls within each other. */
function raid(world: World, amount: bigint, isNested: boolean): void {
  world.pay(bridge, thief, amount);
  const steps = isNested ? 3 : 1;
  const inner = Array.from({ length: steps }, (_, step) => [
    { from: thief, to: bridge, input: withdraw, depth: 1 + 2 * step },
    { from: bridge, to: thief, value: amount / BigInt(steps), depth: 2 + 2 * step },
  ]);
  world.send({ from: attacker, to: thief, input: '0xdeadbeef', inner: inner.flat() });
}

const share = (world: World, asset: string, holder: string, percent: bigint) =>
  (world.get(`token ${asset} ${holder}`) * percent) / 100n;

function call(world: World, to: string, gas: number, fee: number): void {
  world.send({ from: attacker, to, input: `0x2e1a7d4d${'0'.repeat(64)}`, gas, fee });
}

export const incidents: readonly Incident[] = [
  emit(
    'owner replaced',
    ['ownership_change'],
    event(token, 'OwnershipTransferred(address,address)', [cast.users[0]!, attacker]),
  ),
  emit('owner replaced (DSAuth)', ['ownership_change'], event(token, 'LogSetOwner(address)', [attacker])),
  emit(
    'administrator replaced (Compound)',
    ['ownership_change'],
    event(token, 'NewAdmin(address,address)', [], [zero, attacker]),
  ),
  emit(
    'minter appointed',
    ['access_control_change'],
    event(token, 'RoleGranted(bytes32,address,address)', [zero, attacker, attacker]),
  ),
  emit('ward added (Maker)', ['access_control_change'], event(token, 'Rely(address)', [attacker])),
  emit('paused', ['pause_state'], event(lending, 'Paused(address)', [], [attacker])),
  emit('reserve paused (Aave)', ['pause_state'], event(lending, 'ReservePaused(address,bool)', [usd], [1n])),
  emit(
    'upgraded',
    ['proxy_upgrade'],
    event(proxy, 'NewImplementation(address,address)', [], [cast.implementation, attacker]),
  ),
  {
    name: 'upgraded without an event',
    finds: ['proxy_upgrade', 'contract_hash_verification'],
    run: (world) => world.set(`slot ${proxy} ${implementationSlot}`, toTopic(cast.nextImplementation)),
  },
  {
    name: 'vault drained at once',
    finds: ['tvl_drop', 'outflow_rate', 'large_transfer', 'drain'],
    run: (world) => take(world, token, vault, share(world, token, vault, 60n)),
  },
  {
    name: 'bridge entered again and again',
    finds: ['reentrancy', 'drain', 'tvl_drop', 'outflow_rate'],
    run: (world) => raid(world, (world.get(`balance ${bridge}`) * 3n) / 10n, true),
  },
  {
    name: 'bridge entered again, which its guard stops',
    finds: ['reentrancy'],
    run: (world) =>
      world.send({
        from: attacker,
        to: thief,
        input: '0xdeadbeef',
        inner: [
          { from: thief, to: bridge, input: withdraw },
          { from: bridge, to: thief, value: coin, depth: 2 },
          { from: thief, to: bridge, input: withdraw, depth: 3, isReverted: true },
        ],
      }),
  },
  {
    name: 'contract against the vault by a new account',
    finds: ['suspicious_deployment'],
    run: (world) =>
      world.send({ from: attacker, to: null, input: `0x608073${vault.slice(2)}60006000fd`, nonce: 0 }),
  },
  {
    name: 'contract against the vault by a factory, with money of a mixer',
    finds: ['suspicious_deployment'],
    run(world) {
      const who = `${attacker.slice(0, -4)}0fac`;
      const tags = ['MIXER'];
      world.funding.set(who, {
        source: cast.users[1]!,
        tags,
        hops: 1,
        transactionHash: '0x',
        timestamp: world.now,
      });
      const input = `0x6080${'00'.repeat(40)}${word(vault)}`;
      world.send({
        from: who,
        to: cast.router,
        nonce: 80,
        inner: [{ from: cast.router, to: thief, type: 'CREATE2', input }],
      });
    },
  },
  {
    name: 'price of the pool pushed and put back around a call of the vault',
    finds: ['price_manipulation'],
    run(world) {
      const before = [token, usd].map((asset) => world.get(`token ${asset} ${pool}`));
      const pushed = world.reportReserves(pool, before[0]! / 3n, before[1]! * 3n);
      const back = world.reportReserves(pool, before[0]!, before[1]!);
      world.send({
        from: attacker,
        to: thief,
        input: '0xdeadbeef',
        logs: [pushed, back],
        inner: [
          { from: thief, to: pool, input: '0x022c0d9f' },
          { from: thief, to: vault, input: withdraw },
          { from: thief, to: pool, input: '0x022c0d9f' },
        ],
      });
    },
  },
  {
    name: 'vault drained slowly',
    finds: ['outflow_rate'],
    blocks: 12,
    run: (world) => take(world, token, vault, share(world, token, vault, 3n)),
  },
  {
    name: 'pool drained',
    finds: ['outflow_rate'],
    run: (world) => take(world, usd, pool, share(world, usd, pool, 70n)),
  },
  {
    name: 'lending drained far above the usual',
    finds: ['outflow_rate'],
    blocks: 4,
    run: (world) => take(world, usd, lending, share(world, usd, lending, 8n)),
  },
  {
    name: 'bridge drained by inner calls',
    finds: ['tvl_drop', 'outflow_rate', 'drain'],
    run: (world) => raid(world, world.get(`balance ${bridge}`) / 2n, false),
  },
  {
    name: 'drained with a flash loan (Aave)',
    finds: ['flash_loan', 'tvl_drop', 'outflow_rate', 'large_transfer'],
    run: (world) =>
      take(world, token, vault, share(world, token, vault, 50n), [
        event(
          cast.lender,
          'FlashLoan(address,address,address,uint256,uint8,uint256,uint16)',
          [attacker, usd, zero],
          [attacker, 10n ** 24n, 0n, 0n],
        ),
      ]),
  },
  {
    name: 'drained with a flash loan that no event reports',
    finds: ['flash_loan', 'tvl_drop', 'outflow_rate', 'large_transfer'],
    run(world) {
      const borrower = `${attacker.slice(0, -4)}beef`;
      world.set(`code ${borrower}`, '0x6080');
      const lent = world.transfer(usd, cast.lender, borrower, 1_000_000n * coin);
      const taken = world.transfer(token, vault, borrower, share(world, token, vault, 50n));
      const repaid = world.transfer(usd, borrower, cast.lender, 1_000_000n * coin);
      world.send({ from: attacker, to: borrower, input: '0xdeadbeef', logs: [lent, taken, repaid] });
    },
  },
  {
    name: 'infinite mint',
    finds: ['circulation_supply', 'total_supply', 'contract_call', 'holder_concentration'],
    run: (world) =>
      world.send({
        from: attacker,
        to: token,
        input: '0x40c10f19',
        logs: [world.transfer(token, zero, vault, 20_000_000n * coin)],
      }),
  },
  {
    name: 'mint without an event',
    finds: ['circulation_supply'],
    run: (world) => world.set(`supply ${token}`, world.get(`supply ${token}`) + 5_000_000n * coin),
  },
  {
    name: 'price crashes',
    finds: ['price_monitor'],
    run: (world) => world.set(`price ${feed}`, world.get(`price ${feed}`) / 2n),
  },
  {
    name: 'stable coin loses its peg',
    finds: ['depeg'],
    blocks: 5,
    run: (world) => world.set(`price ${stableFeed}`, 97_000_000n),
  },
  {
    name: 'oracle stands still',
    finds: ['oracle_staleness'],
    run: (world) => world.set(`updated ${feed}`, BigInt(Math.floor(world.now / 1000) - 8_000)),
    blocks: 8,
  },
  {
    name: 'wallet emptied of coins',
    finds: ['wallet_balance'],
    run: (world) => world.pay(wallet, attacker, world.get(`balance ${wallet}`) - coin),
  },
  {
    name: 'allocation moved',
    finds: ['tokenomics_allocation'],
    blocks: 60,
    run: (world, step) =>
      step === 0 && take(world, token, cast.allocation, share(world, token, cast.allocation, 50n)),
  },
  {
    name: 'unlimited approval to a stranger',
    finds: ['unlimited_approval'],
    run: (world) =>
      world.send({
        from: wallet,
        to: usd,
        input: '0x095ea7b3',
        logs: [event(usd, 'Approval(address,address,uint256)', [wallet, attacker], [2n ** 256n - 1n])],
      }),
  },
  {
    name: 'look-alike sends dust',
    finds: ['address_poisoning'],
    run(world) {
      const supplier = cast.suppliers[0]!;
      const alike = `${supplier.slice(0, 8)}${'0'.repeat(28)}${supplier.slice(-6)}`;
      world.send({
        from: alike,
        to: usd,
        input: '0xa9059cbb',
        logs: [world.transfer(usd, alike, wallet, 1n)],
      });
    },
  },
  {
    name: 'labelled attacker calls the vault',
    finds: ['attack_detector', 'aml', 'sanctioned_interaction', 'mixer_funding'],
    run(world) {
      const who = `${attacker.slice(0, -4)}0bad`;
      const label = {
        tenantId: null,
        address: who,
        name: 'Bad',
        tags: ['SANCTION', 'EXPLOIT'],
        score: 95,
        source: 'list',
      };
      world.labels.set(who, [label]);
      world.funding.set(who, {
        source: cast.users[1]!,
        tags: ['MIXER'],
        hops: 1,
        transactionHash: '0x',
        timestamp: world.now,
      });
      world.send({ from: who, to: vault, input: '0xb6b55f25', gas: 90_000 });
    },
  },
  {
    name: 'calls fail in a row',
    finds: ['failed_tx_spike'],
    blocks: 5,
    run(world) {
      for (let n = 0; n < 12; n++)
        world.send({ from: cast.users[n]!, to: vault, input: '0x2e1a7d4d', isFailed: true });
    },
  },
  {
    name: 'call with very much gas',
    finds: ['gas_anomaly'],
    run: (world) => call(world, vault, 9_000_000, 2e9),
  },
  {
    name: 'call with a very high fee',
    finds: ['gas_anomaly'],
    run: (world) => call(world, vault, 100_000, 5e13),
  },
  {
    name: 'blocks full of logs',
    finds: ['block_anomaly'],
    blocks: 4,
    run(world) {
      for (let n = 0; n < 60; n++)
        world.send({
          from: cast.users[n]!,
          to: cast.router,
          gas: 400_000,
          logs: Array.from({ length: 40 }, () => event(cast.router, 'Noise()')),
        });
    },
  },
  { name: 'reorganisation', finds: ['block_reorg'], reorg: 3, run: () => {} },
  { name: 'no blocks for ten minutes', finds: ['chain_halt'], intervalMs: 600_000, run: () => {} },
  emit('module enabled', ['safe_multisig'], event(safe, 'EnabledModule(address)', [attacker])),
  {
    name: 'Safe runs foreign code',
    finds: ['safe_multisig'],
    run(world) {
      world.set(`nonce ${safe}`, world.get(`nonce ${safe}`) + 1n);
      const input = `0x6a761202${[attacker, 0n, 320n, 1n].map(word).join('')}${'0'.repeat(64 * 8)}`;
      world.send({
        from: attacker,
        to: safe,
        input,
        logs: [event(safe, 'ExecutionSuccess(bytes32,uint256)', [attacker], [0n])],
      });
    },
  },
  emit(
    'delay of the timelock shortened',
    ['governance'],
    event(governor, 'MinDelayChange(uint256,uint256)', [], [172_800n, 1n]),
  ),
  emit('event of the tenant’s own', ['custom_event'], event(vault, 'Drained(address)', [], [attacker])),
  { name: 'website down', finds: ['http_probe'], blocks: 10, run: (world) => world.setHttpStatus(503) },
];
