import { eventTopic } from '../../../src/codecs/evm/abi.ts';
import { createSeededRandom } from '../../../testing/seededRandom.ts';
import { cast } from './cast.ts';
import { type CallSpec, coin, type LogSpec, toTopic, type World, word } from './createWorld.ts';
import { createMainnetShapes } from './mainnetShapes.ts';

const topics = {
  swap: eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)'),
  sync: eventTopic('Sync(uint112,uint112)'),
  deposited: eventTopic('Deposited(address,address,uint256)'),
  approval: eventTopic('Approval(address,address,uint256)'),
  transfer: eventTopic('Transfer(address,address,uint256)'),
  executed: eventTopic('ExecutionSuccess(bytes32,uint256)'),
  vote: eventTopic('VoteCast(address,uint256,uint8,uint256,string)'),
  reserve: eventTopic('ReserveDataUpdated(address,uint256,uint256,uint256,uint256,uint256)'),
};
const zero = `0x${'0'.repeat(40)}`;
const day = 86_400_000;

/** How often in a thousand blocks what is rare on the main network, too. All other shapes of it are about as frequent as each other. */
const rare: Readonly<Record<string, number>> = {
  'a rebase': 5,
  'an exchange that moves a large amount': 2,
  'a Safe that trades through its module': 5,
  'an airdrop to many': 20,
};

/**
 * What happens on a busy chain when nothing is wrong: deposits and withdrawals, trades in both directions, loans that are repaid
 * in their transaction, payments, small mints and burns, approvals, votes, failing calls and bursts of them, surging fees, spam
 * tokens, empty and late blocks, by the time of day; beside the shapes of transactions that the main network is full of.
 */
export function createBenignTraffic(world: World, seed: number) {
  const random = createSeededRandom(seed);
  const { users } = cast;
  let baseFee = Math.log(1.5e9);
  let surge = 0;
  const shapes = Object.entries(createMainnetShapes(world, createSeededRandom(seed + 1_000)));
  const usual = shapes.flatMap(([name, act]) => (name in rare ? [] : [act]));

  const chance = (probability: number) => random.next() < probability;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const scatter = (middle: number, sigma: number) => middle * Math.exp(sigma * normal());
  const amount = (whole: number, sigma = 0.8) => BigInt(Math.floor(scatter(whole, sigma) * 1e6)) * 10n ** 12n;
  const capped = (value: bigint, most: bigint) => (value > most ? most : value);

  const fee = () => {
    if (chance(0.01)) return 0;
    return scatter(Math.exp(baseFee) * (surge > 0 ? 25 : 1), 0.7) * (chance(0.005) ? 20 : 1);
  };

  function call(
    spec: Omit<CallSpec, 'fee' | 'from'> & { from?: string; selector: string; usual: readonly number[] },
  ) {
    const { selector, usual, ...rest } = spec;
    world.send({
      from: random.pick(users),
      gas: scatter(random.pick(usual), 0.12),
      fee: fee(),
      input: `${selector}${random.hex(64)}`,
      ...rest,
    });
  }

  const event = (emitter: string, topic: string, ...parties: string[]): LogSpec => ({
    address: emitter,
    topics: [topic, ...parties.map(toTopic)],
    data: `0x${random.hex(64)}`,
  });

  function useVault() {
    const user = random.pick(users);
    const held = world.get(`token ${cast.token} ${cast.vault}`);
    // What is above its usual size is more likely to leave, so that it neither fills up nor runs dry.
    const isOut = chance(Number(held / coin) / 2_000_000);
    const size = capped(amount(800), held / 100n);
    const log = isOut
      ? world.transfer(cast.token, cast.vault, user, size)
      : world.transfer(cast.token, user, cast.vault, size);
    call({
      from: user,
      to: cast.vault,
      selector: isOut ? '0x2e1a7d4d' : '0xb6b55f25',
      usual: isOut ? [90_000, 130_000] : [70_000, 105_000],
      logs: [log, event(cast.vault, topics.deposited, user, cast.token)],
    });
  }

  function trade() {
    const user = random.pick(users);
    const [tokens, dollars] = [cast.token, cast.usd].map((asset) => world.get(`token ${asset} ${cast.pool}`));
    const isBuying = chance(Number(tokens! / coin) / 1_000_000);
    const size = capped(amount(400), tokens! / 100n);
    const price = (dollars! * coin) / tokens!;
    const worth = (size * price) / coin;
    const logs = isBuying
      ? [world.transfer(cast.usd, user, cast.pool, worth), world.transfer(cast.token, cast.pool, user, size)]
      : [world.transfer(cast.token, user, cast.pool, size), world.transfer(cast.usd, cast.pool, user, worth)];
    call({
      from: user,
      to: chance(0.7) ? cast.router : cast.pool,
      selector: '0x38ed1739',
      usual: [110_000, 150_000, 240_000],
      logs: [...logs, world.sync(cast.pool, cast.token, cast.usd), event(cast.pool, topics.swap, user, user)],
    });
  }

  /** Buys with two pools' help and puts what was bought into the vault: a pool's price moves twice in one transaction. */
  function zap() {
    const user = random.pick(users);
    const buy = () => {
      const [tokens, dollars] = [cast.token, cast.usd].map((asset) =>
        world.get(`token ${asset} ${cast.pool}`),
      );
      const size = capped(amount(300), tokens! / 200n);
      return [
        world.transfer(cast.usd, user, cast.pool, (size * dollars!) / tokens!),
        world.transfer(cast.token, cast.pool, user, size),
        world.sync(cast.pool, cast.token, cast.usd),
      ];
    };
    const logs = [...buy(), ...buy(), world.transfer(cast.token, user, cast.vault, amount(100))];
    call({
      from: user,
      to: cast.router,
      selector: '0x5ae401dc',
      usual: [400_000],
      logs,
      inner: [
        { from: cast.router, to: cast.pool, input: '0x022c0d9f' },
        { from: cast.router, to: cast.pool, input: '0x022c0d9f' },
        { from: cast.router, to: cast.vault, input: '0xb6b55f25' },
        // The vault asks the pool for a price while it is called, and takes what it gets from the router.
        { from: cast.vault, to: cast.pool, type: 'STATICCALL', input: '0x0902f1ac', depth: 2 },
        { from: cast.vault, to: cast.router, input: '0xfa461e33', depth: 2 },
        { from: cast.router, to: cast.vault, type: 'STATICCALL', input: '0x01e1d114', depth: 3 },
      ],
    });
  }

  /** Contracts around the vault by those who have long been there, and contracts of newcomers that have nothing to do with it. */
  function deploy() {
    const isOld = chance(0.5);
    const named = isOld ? cast.vault : `0x${random.hex(40)}`;
    const input = `0x608060405273${named.slice(2)}60006000fd`;
    const nonce = isOld ? 60 + Math.floor(random.next() * 5000) : Math.floor(random.next() * 5);
    const from = isOld ? random.pick(users) : `0x${random.hex(40)}`;
    if (chance(0.5)) world.send({ from, to: null, input, nonce, gas: 900_000, fee: fee() });
    else
      world.send({
        from,
        to: cast.router,
        input: '0x5c60da1b',
        nonce,
        gas: 900_000,
        fee: fee(),
        inner: [{ from: cast.router, to: `0x${random.hex(40)}`, type: 'CREATE2', input }],
      });
  }

  /** Borrowed from the pool for an arbitrage and given back with a fee in the same transaction. */
  function flashSwap() {
    const user = random.pick(users);
    const size = (world.get(`token ${cast.usd} ${cast.pool}`) * 4n) / 10n;
    call({
      from: user,
      to: cast.router,
      selector: '0x022c0d9f',
      usual: [300_000],
      logs: [
        world.transfer(cast.usd, cast.pool, cast.router, size),
        world.transfer(cast.usd, cast.router, cast.pool, size),
        event(cast.pool, topics.swap, user, user),
      ],
    });
  }

  function lend() {
    const user = random.pick(users);
    const held = world.get(`token ${cast.usd} ${cast.lending}`);
    const isOut = chance(Number(held / coin) / 4_000_000);
    const size = capped(amount(3_000), held / 50n);
    const log = isOut
      ? world.transfer(cast.usd, cast.lending, user, size)
      : world.transfer(cast.usd, user, cast.lending, size);
    call({
      from: user,
      to: cast.lending,
      selector: isOut ? '0xa415bcad' : '0x617ba037',
      usual: [180_000, 230_000, 310_000],
      logs: [log, event(cast.lending, topics.reserve, cast.usd)],
    });
  }

  /** Coins move by inner calls of a relayer: nothing but the balance shows it. */
  function cross() {
    const held = world.get(`balance ${cast.bridge}`);
    const user = random.pick(users);
    const size = capped(amount(20), held / 200n);
    const isOut = chance(Number(held / coin) / 100_000);
    world.pay(isOut ? cast.bridge : user, isOut ? user : cast.bridge, size);
    const withdrawal = { from: cast.router, to: cast.bridge, input: '0x2e1a7d4d' };
    const inner = isOut
      ? [withdrawal, { from: cast.bridge, to: user, value: size, depth: 2 }]
      : [{ from: cast.router, to: cast.bridge, value: size, input: '0xd0e30db0' }];
    call({
      from: user,
      to: cast.router,
      selector: '0x3593564c',
      usual: [120_000, 160_000],
      inner,
      ...(!isOut && { value: size }),
    });
  }

  function useToken() {
    const [from, to] = [random.pick(users), random.pick(users)];
    const logs = [world.transfer(cast.token, from, to, amount(30))];
    call({ from, to: cast.token, selector: '0xa9059cbb', usual: [34_000, 51_000], logs });
    if (chance(0.03)) {
      const isMint = chance(0.5);
      const size = amount(500, 0.5);
      const log = isMint
        ? world.transfer(cast.token, zero, from, size)
        : world.transfer(cast.token, from, zero, size);
      call({
        from,
        to: cast.token,
        selector: isMint ? '0x40c10f19' : '0x42966c68',
        usual: [50_000],
        logs: [log],
      });
    }
  }

  function useWallet() {
    const supplier = random.pick(cast.suppliers);
    const size = amount(200, 0.5);
    const isPaying = world.get(`token ${cast.usd} ${cast.wallet}`) > 60_000n * coin && chance(0.5);
    const log = isPaying
      ? world.transfer(cast.usd, cast.wallet, supplier, size)
      : world.transfer(cast.usd, random.pick(users), cast.wallet, size);
    const from = isPaying ? cast.wallet : random.pick(users);
    call({ from, to: cast.usd, selector: '0xa9059cbb', usual: [34_000, 51_000], logs: [log] });
    if (!isPaying || !chance(0.1)) return;
    const approval = {
      address: cast.usd,
      topics: [topics.approval, toTopic(cast.wallet), toTopic(cast.router)],
      data: `0x${word(size)}`,
    };
    call({ from: cast.wallet, to: cast.usd, selector: '0x095ea7b3', usual: [46_000], logs: [approval] });
  }

  function spam() {
    const token = random.pick(cast.spamTokens);
    const targets = [cast.vault, cast.wallet, cast.pool, random.pick(users)];
    const logs = targets.map(
      (target): LogSpec => ({
        address: token,
        topics: [topics.transfer, toTopic(random.pick(users)), toTopic(target)],
        data: `0x${word(10n ** 27n)}`,
      }),
    );
    call({ to: token, selector: '0x12514bba', usual: [400_000], logs });
  }

  function useSafe() {
    world.set(`nonce ${cast.safe}`, world.get(`nonce ${cast.safe}`) + 1n);
    const data = [random.pick(users), 0n, 320n, 0n].map((value) => word(value as string)).join('');
    world.send({
      from: random.pick(users),
      to: cast.safe,
      gas: scatter(80_000, 0.2),
      fee: fee(),
      input: `0x6a761202${data}${'0'.repeat(64 * 8)}`,
      logs: [event(cast.safe, topics.executed, random.pick(users))],
    });
  }

  function updateFeeds() {
    const at = BigInt(Math.floor(world.now / 1000));
    for (const [feed, sigma, every] of [
      [cast.feed, 0.002, 25],
      [cast.stableFeed, 0.0003, 60],
    ] as const) {
      if (world.number % every !== 0) continue;
      const price = Number(world.get(`price ${feed}`));
      const middle = feed === cast.stableFeed ? 1e8 : price;
      world.set(`price ${feed}`, BigInt(Math.round(scatter(middle, sigma))));
      world.set(`updated ${feed}`, at);
      world.set(`round ${feed}`, world.get(`round ${feed}`) + 1n);
    }
  }

  /** Fills a block; how long after the one before it comes. */
  return function fill(): number {
    baseFee += 0.05 * normal() + 0.02 * (Math.log(1.5e9) - baseFee);
    surge = surge > 0 ? surge - 1 : chance(0.004) ? 30 : 0;
    updateFeeds();
    if (chance(0.007)) return 12_000;
    const busy = 1 + 0.6 * Math.sin((2 * Math.PI * world.now) / day);
    const times = (mean: number, act: () => void) => {
      for (let n = 0; n < Math.round(scatter(mean * busy, 0.5) - 0.3); n++) act();
    };
    times(3, useVault);
    times(4, trade);
    times(2, lend);
    times(2, cross);
    times(4, useToken);
    times(10, () => call({ to: random.pick(users), selector: '0x', usual: [21_000], value: 10n ** 15n }));
    if (chance(0.3)) useWallet();
    if (chance(0.05)) spam();
    if (chance(0.05)) flashSwap();
    if (chance(0.1)) zap();
    if (chance(0.1)) deploy();
    if (chance(0.05)) useSafe();
    if (chance(0.03))
      call({
        to: cast.governor,
        selector: '0x56781388',
        usual: [70_000],
        logs: [event(cast.governor, topics.vote)],
      });
    times(5, () => random.pick(usual)());
    for (const [name, act] of shapes) if (name in rare && chance(rare[name]! / 1_000)) act();
    // Calls that run out of luck: the price has moved, the limit is reached.
    const failing = chance(0.005) ? 6 : chance(0.3) ? 1 : 0;
    for (let n = 0; n < failing; n++)
      call({
        to: random.pick([cast.vault, cast.pool]),
        selector: '0x2e1a7d4d',
        usual: [40_000],
        isFailed: true,
      });
    return chance(0.01) ? 24_000 : 12_000;
  };
}
