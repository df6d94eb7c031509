import { eventTopic } from '../../../src/codecs/evm/abi.ts';
import type { SeededRandom } from '../../../testing/seededRandom.ts';
import { borrow, type CallNode, call, encode, flatten, read } from './callTree.ts';
import { cast } from './cast.ts';
import { coin, type LogSpec, toTopic, type World, word } from './createWorld.ts';
import { mainnet, rootOf } from './mainnetCast.ts';

const { weth, usdc, meme, taxToken, rebasing, share } = mainnet;
const zero = `0x${'0'.repeat(40)}`;
const swap2 = eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)');
const swap3 = eventTopic('Swap(address,address,int256,int256,uint160,uint128,int24)');

const f = {
  transfer: 'transfer(address,uint256)',
  transferFrom: 'transferFrom(address,address,uint256)',
  balanceOf: 'balanceOf(address)',
  withdraw: 'withdraw(uint256)',
  deposit: 'deposit()',
  swap2: 'swap(uint256,uint256,address,bytes)',
  swap3: 'swap(address,bool,int256,uint160,bytes)',
  callback3: 'uniswapV3SwapCallback(int256,int256,bytes)',
  exactInputSingle: 'exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))',
  unlock: 'unlock(bytes)',
  unlocked: 'unlockCallback(bytes)',
  swap4: 'swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)',
  modify4: 'modifyLiquidity((address,address,uint24,int24,address),(int24,int24,int256,bytes32),bytes)',
  take: 'take(address,address,uint256)',
  settle: 'settle()',
};

/** Ordinary transactions by what the main network is full of; each written from how its contracts are known to call each other. */
export function createMainnetShapes(world: World, random: SeededRandom) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const user = () => random.pick(cast.users);
  const held = (token: string, who: string) => world.get(`token ${token} ${who}`);
  /** A part of what someone holds: mostly far below a per cent, now and then some per cent. */
  const part = (whole: bigint, middle = 0.0005, most = 0.03) =>
    (whole * BigInt(Math.floor(Math.min(most, middle * Math.exp(1.2 * normal())) * 1e9))) / 1_000_000_000n;
  /** No more than someone has. */
  const upTo = (wanted: bigint, token: string, who: string) => {
    const has = held(token, who);
    return wanted < has ? wanted : has;
  };
  const move = (token: string, from: string, to: string, amount: bigint) =>
    world.transfer(token, from, to, amount);
  const event = (
    emitter: string,
    topic: string,
    parties: readonly string[],
    ...values: bigint[]
  ): LogSpec => ({
    address: emitter,
    topics: [topic, ...parties.map(toTopic)],
    data: `0x${values.map((value) => word(BigInt.asUintN(256, value))).join('')}`,
  });

  function send(
    from: string,
    to: string,
    signature: string,
    inner: readonly CallNode[],
    logs: readonly LogSpec[],
    value = 0n,
    args: readonly (bigint | string)[] = [from, value],
  ): void {
    for (const { from: payer, to: payee, value: paid = 0n, type } of flatten(inner))
      if (paid > 0n && type !== 'DELEGATECALL') world.pay(payer, payee, paid);
    if (value > 0n) world.pay(from, to, value);
    const gas = 120_000 * Math.exp(0.5 * normal());
    world.send({
      from,
      to,
      value,
      input: encode(signature, args),
      gas,
      logs,
      inner: flatten(inner),
    });
  }

  /** What a pair gives for an amount; 0.3 % stay. */
  const quote = (pool: string, sold: string, bought: string, amount: bigint) => {
    const [first, second] = [held(sold, pool), held(bought, pool)];
    return (second * amount * 997n) / (first * 1000n + amount * 997n);
  };

  /** Logs of a trade with a pair, after what is sold has come. */
  function trade2(pool: string, sold: string, bought: string, amount: bigint, to: string): LogSpec[] {
    const isFirst = world.get(`token0 ${pool}`) === (sold as never);
    const [from, into] = [held(sold, pool) - amount, held(bought, pool)];
    const out = (into * amount * 997n) / (from * 1000n + amount * 997n);
    const [first, second] = isFirst ? [sold, bought] : [bought, sold];
    return [
      move(bought, pool, to, out),
      world.sync(pool, first, second),
      isFirst
        ? event(pool, swap2, [cast.router, to], amount, 0n, 0n, out)
        : event(pool, swap2, [cast.router, to], 0n, amount, out, 0n),
    ];
  }

  /** Logs of a trade with a pool of V3, which pays first and is paid in its callback. */
  function trade3(
    pool: string,
    sold: string,
    bought: string,
    amount: bigint,
    payer: string,
    to: string,
  ): LogSpec[] {
    const out = quote(pool, sold, bought, amount);
    const first = world.get(`token0 ${pool}`) as never as string;
    const second = world.get(`token1 ${pool}`) as never as string;
    const moves = [move(bought, pool, to, out), move(sold, payer, pool, amount)];
    const root = rootOf(world, pool, first, second);
    world.set(`root ${pool}`, root);
    const [a, b] = sold === first ? [amount, -out] : [-out, amount];
    return [...moves, event(pool, swap3, [cast.router, to], a, b, root, 10n ** 20n, 0n)];
  }

  const callback3 = (caller: string, pool: string, sold: string, bought: string, to: string, payer: string) =>
    call(
      caller,
      pool,
      f.swap3,
      { args: [to] },
      call(pool, bought, f.transfer, { args: [to] }),
      read(pool, sold, f.balanceOf),
      call(
        pool,
        caller,
        f.callback3,
        {},
        caller === payer
          ? call(caller, sold, f.transfer, { args: [pool] })
          : call(caller, sold, f.transferFrom, { args: [payer, pool] }),
      ),
      read(pool, sold, f.balanceOf),
    );

  const unwrap = (who: string, amount: bigint) =>
    call(who, weth, f.withdraw, {}, call(weth, who, '', { value: amount }));
  const unwrapped = (who: string, amount: bigint): LogSpec => {
    world.set(`token ${weth} ${who}`, held(weth, who) - amount);
    world.set(`supply ${weth}`, world.get(`supply ${weth}`) - amount);
    return event(weth, eventTopic('Withdrawal(address,uint256)'), [who], amount);
  };
  const wrapped = (who: string, amount: bigint): LogSpec => {
    world.set(`token ${weth} ${who}`, held(weth, who) + amount);
    world.set(`supply ${weth}`, world.get(`supply ${weth}`) + amount);
    return event(weth, eventTopic('Deposit(address,uint256)'), [who], amount);
  };

  /** Whether wrapped coins that buy a token at one place and sell it at the other come back as more. */
  const earns = (first: string, second: string, token: string, sold: bigint) =>
    quote(second, token, weth, quote(first, weth, token, sold)) > sold;

  /** Buys a token with wrapped coins at the first place, and sells it at the second. */
  function tradeRound(
    bot: string,
    order: readonly ('pair' | 'pool')[],
    { pair, pool }: { pair: string; pool: string },
    token: string,
    sold: bigint,
  ): { steps: CallNode[]; logs: LogSpec[] } {
    const [steps, logs]: [CallNode[], LogSpec[]] = [[], []];
    let [from, to, amount] = [weth, token, sold];
    for (const place of order) {
      const before = held(to, bot);
      if (place === 'pair') {
        logs.push(move(from, bot, pair, amount), ...trade2(pair, from, to, amount, bot));
        steps.push(
          call(bot, from, f.transfer, { args: [pair] }),
          call(bot, pair, f.swap2, {}, call(pair, to, f.transfer, { args: [bot] })),
        );
      } else {
        logs.push(...trade3(pool, from, to, amount, bot, bot));
        steps.push(callback3(bot, pool, from, to, bot, bot));
      }
      [from, to, amount] = [to, from, held(to, bot) - before];
    }
    return { steps, logs };
  }

  const sides = () => (random.next() < 0.5 ? ([usdc, weth] as const) : ([weth, usdc] as const));

  const shapes: Record<string, () => void> = {
    'a swap of V3 through its router': () => {
      const [who, [sold, bought]] = [user(), sides()];
      const amount = upTo(part(held(sold, mainnet.pool), 0.0003), sold, who);
      send(
        who,
        mainnet.routerV3,
        f.exactInputSingle,
        [callback3(mainnet.routerV3, mainnet.pool, sold, bought, who, who)],
        trade3(mainnet.pool, sold, bought, amount, who, who),
      );
    },
    'a swap of V3 that ends in coins': () => {
      const who = user();
      const amount = upTo(part(held(usdc, mainnet.pool), 0.0003), usdc, who);
      const out = quote(mainnet.pool, usdc, weth, amount);
      const logs = trade3(mainnet.pool, usdc, weth, amount, who, mainnet.routerV3);
      send(
        who,
        mainnet.routerV3,
        'multicall(bytes[])',
        [
          borrow(
            mainnet.routerV3,
            mainnet.routerV3,
            f.exactInputSingle,
            callback3(mainnet.routerV3, mainnet.pool, usdc, weth, mainnet.routerV3, who),
          ),
          borrow(
            mainnet.routerV3,
            mainnet.routerV3,
            'unwrapWETH9(uint256,address)',
            unwrap(mainnet.routerV3, out),
            call(mainnet.routerV3, who, '', { value: out }),
          ),
        ],
        [...logs, unwrapped(mainnet.routerV3, out)],
      );
    },
    'two hops of V3, of which the second is paid out of the first': () => {
      const who = user();
      const amount = upTo(part(held(meme, mainnet.memePool), 0.002, 0.02), meme, who);
      const out = quote(mainnet.memePool, meme, weth, amount);
      send(
        who,
        mainnet.routerV3,
        'exactInput((bytes,address,uint256,uint256,uint256))',
        [
          callback3(mainnet.routerV3, mainnet.memePool, meme, weth, mainnet.routerV3, who),
          callback3(mainnet.routerV3, mainnet.pool, weth, usdc, who, mainnet.routerV3),
        ],
        [
          ...trade3(mainnet.memePool, meme, weth, amount, who, mainnet.routerV3),
          ...trade3(mainnet.pool, weth, usdc, out, mainnet.routerV3, who),
        ],
      );
    },
    'a token sold for coins through the router of V2': () => {
      const who = user();
      const amount = upTo(part(held(meme, mainnet.memePair), 0.001, 0.02), meme, who);
      const router = mainnet.routerV2;
      const sent = move(meme, who, mainnet.memePair, amount);
      const logs = trade2(mainnet.memePair, meme, weth, amount, router);
      const got = held(weth, router);
      send(
        who,
        router,
        'swapExactTokensForETH(uint256,uint256,address[],address,uint256)',
        [
          call(router, meme, f.transferFrom, { args: [who, mainnet.memePair] }),
          call(router, mainnet.memePair, f.swap2, {}, call(mainnet.memePair, weth, f.transfer)),
          unwrap(router, got),
          call(router, who, '', { value: got }),
        ],
        [sent, ...logs, unwrapped(router, got)],
      );
    },
    'coins for a token through the router of V2, with change': () => {
      const who = user();
      const amount = part(held(weth, mainnet.memePair), 0.001, 0.02);
      const router = mainnet.routerV2;
      const rest = amount / 50n;
      const logs = [wrapped(router, amount), move(weth, router, mainnet.memePair, amount)];
      send(
        who,
        router,
        'swapETHForExactTokens(uint256,address[],address,uint256)',
        [
          call(router, weth, f.deposit, { value: amount }),
          call(router, weth, f.transfer, { args: [mainnet.memePair] }),
          call(
            router,
            mainnet.memePair,
            f.swap2,
            {},
            call(mainnet.memePair, meme, f.transfer, { args: [who] }),
          ),
          call(router, who, '', { value: rest }),
        ],
        [...logs, ...trade2(mainnet.memePair, weth, meme, amount, who)],
        amount + rest,
      );
    },
    'a token that sells its fees within a transfer': () => {
      const who = user();
      const router = mainnet.routerV2;
      const pair = mainnet.taxPair;
      const amount = upTo(part(held(taxToken, pair), 0.002, 0.01), taxToken, who);
      const fees = held(taxToken, taxToken);
      const logs: LogSpec[] = [];
      const swapBack: CallNode[] = [];
      if (fees > 0n) {
        logs.push(move(taxToken, taxToken, pair, fees));
        logs.push(...trade2(pair, taxToken, weth, fees, router));
        const out = held(weth, router);
        logs.push(unwrapped(router, out));
        swapBack.push(
          call(
            taxToken,
            router,
            'swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)',
            {},
            call(router, taxToken, f.transferFrom, { args: [taxToken, pair, fees] }),
            read(router, pair, 'getReserves()'),
            call(router, pair, f.swap2, {}, call(pair, weth, f.transfer, { args: [router] })),
            unwrap(router, out),
            call(router, taxToken, '', { value: out }),
          ),
          call(taxToken, random.pick(cast.suppliers), '', { value: out }),
        );
      }
      const fee = amount / 20n;
      logs.push(move(taxToken, who, taxToken, fee), move(taxToken, who, pair, amount - fee));
      logs.push(...trade2(pair, taxToken, weth, amount - fee, router));
      const gain = held(weth, router);
      logs.push(unwrapped(router, gain));
      send(
        who,
        router,
        'swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)',
        [
          call(router, taxToken, f.transferFrom, { args: [who, pair, amount] }, ...swapBack),
          call(router, pair, f.swap2, {}, call(pair, weth, f.transfer, { args: [router] })),
          unwrap(router, gain),
          call(router, who, '', { value: gain }),
        ],
        logs,
      );
    },
    'an aggregator over several pools': () => {
      const who = user();
      const { aggregator, executor } = mainnet;
      const amount = upTo(part(held(usdc, mainnet.pair), 0.0005), usdc, who);
      const half = amount / 2n;
      const logs = [move(usdc, who, executor, amount), move(usdc, executor, mainnet.pair, half)];
      logs.push(...trade2(mainnet.pair, usdc, weth, half, aggregator));
      logs.push(...trade3(mainnet.pool, usdc, weth, half, executor, aggregator));
      const out = held(weth, aggregator);
      logs.push(unwrapped(aggregator, out));
      send(
        who,
        aggregator,
        'swap(address,(address,address,address,address,uint256,uint256,uint256),bytes)',
        [
          call(aggregator, usdc, f.transferFrom, { args: [who, executor] }),
          call(
            aggregator,
            executor,
            'execute(address)',
            {},
            call(executor, usdc, f.transfer, { args: [mainnet.pair] }),
            call(executor, mainnet.pair, f.swap2, {}, call(mainnet.pair, weth, f.transfer)),
            callback3(executor, mainnet.pool, usdc, weth, aggregator, executor),
          ),
          unwrap(aggregator, out),
          call(aggregator, who, '', { value: out }),
        ],
        logs,
      );
    },
    'an aggregator that is called back by the pool': () => {
      const who = user();
      const amount = upTo(part(held(weth, mainnet.pool), 0.0004), weth, who);
      send(
        who,
        mainnet.aggregator,
        'unoswapTo(uint256,uint256,uint256,uint256,uint256)',
        [callback3(mainnet.aggregator, mainnet.pool, weth, usdc, who, who)],
        trade3(mainnet.pool, weth, usdc, amount, who, who),
      );
    },
    'the universal router with Permit2': () => {
      const who = user();
      const router = mainnet.universalRouter;
      const amount = upTo(part(held(usdc, mainnet.pool), 0.0003), usdc, who);
      send(
        who,
        router,
        'execute(bytes,bytes[],uint256)',
        [
          call(
            router,
            mainnet.permit2,
            'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)',
          ),
          call(
            router,
            mainnet.pool,
            f.swap3,
            {},
            call(mainnet.pool, weth, f.transfer, { args: [who] }),
            call(
              mainnet.pool,
              router,
              f.callback3,
              {},
              call(
                router,
                mainnet.permit2,
                'transferFrom(address,address,uint160,address)',
                {},
                call(mainnet.permit2, usdc, f.transferFrom, { args: [who, mainnet.pool] }),
              ),
            ),
          ),
        ],
        [
          event(
            mainnet.permit2,
            eventTopic('Permit(address,address,address,uint160,uint48,uint48)'),
            [who, usdc, router],
            amount,
            0n,
            0n,
          ),
          ...trade3(mainnet.pool, usdc, weth, amount, who, who),
        ],
      );
    },
    'a swap of V4 with a hook that takes its share': () => {
      const who = user();
      const { universalRouter: router, poolManager: manager, hook } = mainnet;
      const amount = part(held(usdc, who), 0.1, 0.9);
      const price = 2_000n;
      const out = amount / price;
      const fee = out / 100n;
      const logs = [move(usdc, who, manager, amount)];
      logs.push(
        event(manager, eventTopic('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'), [
          router,
        ]),
      );
      send(
        who,
        router,
        'execute(bytes,bytes[],uint256)',
        [
          call(
            router,
            manager,
            f.unlock,
            {},
            call(
              manager,
              router,
              f.unlocked,
              {},
              call(
                router,
                manager,
                f.swap4,
                {},
                call(
                  manager,
                  hook,
                  'afterSwap(address,(address,address,uint24,int24,address),(bool,int256,uint160),int256,bytes)',
                  {},
                  call(
                    hook,
                    manager,
                    f.take,
                    { args: [zero, hook] },
                    call(manager, hook, '', { value: fee }),
                  ),
                ),
              ),
              call(router, manager, 'sync(address)', { args: [usdc] }),
              call(
                router,
                mainnet.permit2,
                'transferFrom(address,address,uint160,address)',
                {},
                call(mainnet.permit2, usdc, f.transferFrom, { args: [who, manager] }),
              ),
              call(router, manager, f.settle),
              call(
                router,
                manager,
                f.take,
                { args: [zero, router] },
                call(manager, router, '', { value: out - fee }),
              ),
            ),
          ),
          call(router, who, '', { value: out - fee }),
        ],
        logs,
      );
    },
    'liquidity taken out of V4': () => {
      const who = user();
      const { positions, poolManager: manager } = mainnet;
      const [coins, tokens] = [part(30_000n * coin, 0.0005), part(held(meme, manager), 0.01, 0.15)];
      send(
        who,
        positions,
        'modifyLiquidities(bytes,uint256)',
        [
          call(
            positions,
            manager,
            f.unlock,
            {},
            call(
              manager,
              positions,
              f.unlocked,
              {},
              call(positions, manager, f.modify4),
              call(
                positions,
                manager,
                f.take,
                { args: [zero, who] },
                call(manager, who, '', { value: coins }),
              ),
              call(
                positions,
                manager,
                f.take,
                { args: [meme, who] },
                call(manager, meme, f.transfer, { args: [who] }),
              ),
            ),
          ),
        ],
        [
          event(manager, eventTopic('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'), [
            positions,
          ]),
          move(meme, manager, who, tokens),
        ],
      );
    },
    'liquidity put into V4': () => {
      // Someone who has taken some out: otherwise it would run dry, as no pool does on an ordinary day.
      const who = cast.users.reduce((most, one) => (held(meme, one) > held(meme, most) ? one : most));
      const { positions, poolManager: manager } = mainnet;
      const [coins, tokens] = [
        part(30_000n * coin, 0.0005),
        upTo(part(held(meme, manager), 0.01, 0.15), meme, who),
      ];
      send(
        who,
        positions,
        'modifyLiquidities(bytes,uint256)',
        [
          call(
            positions,
            manager,
            f.unlock,
            {},
            call(
              manager,
              positions,
              f.unlocked,
              {},
              call(positions, manager, f.modify4),
              call(positions, manager, f.settle, { value: coins }),
              call(positions, mainnet.permit2, 'transferFrom(address,address,uint160,address)'),
              call(positions, manager, f.settle),
            ),
          ),
        ],
        [
          event(manager, eventTopic('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'), [
            positions,
          ]),
          move(meme, who, manager, tokens),
        ],
        coins,
      );
    },
    'an arbitrage with a flash loan of Balancer': () => {
      const { bot, balancer, pair, pool } = mainnet;
      const amount = part(held(weth, balancer), 0.01, 0.4);
      const sold = held(weth, pair) / 2_000n;
      const isPairFirst = earns(pair, pool, usdc, sold);
      if (!isPairFirst && !earns(pool, pair, usdc, sold)) return;
      const trades = tradeRound(
        bot,
        isPairFirst ? ['pair', 'pool'] : ['pool', 'pair'],
        { pair, pool },
        usdc,
        sold,
      );
      send(
        user(),
        bot,
        'run(bytes)',
        [
          call(
            bot,
            balancer,
            'flashLoan(address,address[],uint256[],bytes)',
            {},
            call(balancer, weth, f.transfer, { args: [bot] }),
            call(
              balancer,
              bot,
              'receiveFlashLoan(address[],uint256[],uint256[],bytes)',
              {},
              ...trades.steps,
              call(bot, weth, f.transfer, { args: [balancer] }),
            ),
          ),
          call(bot, mainnet.builder, '', { value: coin / 1000n }),
        ],
        [
          move(weth, balancer, bot, amount),
          ...trades.logs,
          move(weth, bot, balancer, amount),
          event(balancer, eventTopic('FlashLoan(address,address,uint256,uint256)'), [bot, weth], amount, 0n),
        ],
        coin / 1000n,
      );
    },
    'a position moved with a flash loan of the market': () => {
      const { market, lender } = mainnet;
      const who = user();
      const amount = part(held(usdc, market), 0.005, 0.05);
      const helper = mainnet.strategy;
      send(
        who,
        helper,
        'rebalance(uint256)',
        [
          call(
            helper,
            market,
            'flashLoanSimple(address,address,uint256,bytes,uint16)',
            {},
            borrow(
              market,
              cast.implementation,
              'flashLoanSimple(address,address,uint256,bytes,uint16)',
              call(market, usdc, f.transfer, { args: [helper] }),
              call(
                market,
                helper,
                'executeOperation(address,uint256,uint256,address,bytes)',
                {},
                call(
                  helper,
                  lender,
                  'repay(address,uint256,uint256,address)',
                  {},
                  call(lender, usdc, f.transferFrom),
                ),
                call(
                  helper,
                  market,
                  'supply(address,uint256,address,uint16)',
                  {},
                  borrow(market, cast.implementation, 'supply(address,uint256,address,uint16)'),
                ),
                call(helper, lender, 'withdraw(address,uint256,address)', {}, call(lender, usdc, f.transfer)),
              ),
              call(market, usdc, f.transferFrom, { args: [helper, market] }),
            ),
          ),
        ],
        [
          move(usdc, market, helper, amount),
          move(usdc, helper, lender, amount),
          move(usdc, lender, helper, amount),
          move(usdc, helper, market, amount),
          event(
            market,
            eventTopic('FlashLoan(address,address,address,uint256,uint8,uint256,uint16)'),
            [helper, usdc, zero],
            BigInt(helper),
            amount,
            0n,
            0n,
          ),
        ],
      );
    },
    'a flash swap of a pair': () => {
      const { bot, memePair } = mainnet;
      const amount = part(held(weth, memePair), 0.05, 0.4);
      const fee = amount / 300n;
      const logs = [move(weth, memePair, bot, amount), move(weth, bot, memePair, amount + fee)];
      logs.push(world.sync(memePair, meme, weth));
      logs.push(event(memePair, swap2, [bot, bot], 0n, amount + fee, 0n, amount));
      send(
        user(),
        bot,
        'run(bytes)',
        [
          call(
            bot,
            memePair,
            f.swap2,
            {},
            call(memePair, weth, f.transfer, { args: [bot] }),
            call(
              memePair,
              bot,
              'uniswapV2Call(address,uint256,uint256,bytes)',
              { args: [bot] },
              call(bot, weth, f.transfer, { args: [memePair] }),
            ),
          ),
        ],
        logs,
      );
    },
    'a batch auction that settles': () => {
      const { settlement, relayer } = mainnet;
      const [first, second] = [user(), user()];
      const amount = upTo(part(held(usdc, mainnet.pool), 0.0002), usdc, first);
      const logs = [move(usdc, first, settlement, amount)];
      const out = quote(mainnet.pool, usdc, weth, amount);
      logs.push(...trade3(mainnet.pool, usdc, weth, amount, settlement, settlement));
      const coins = out / 2n;
      logs.push(unwrapped(settlement, coins), move(weth, settlement, first, out - coins));
      logs.push(
        event(
          settlement,
          eventTopic('Trade(address,address,address,uint256,uint256,uint256,bytes)'),
          [first],
          BigInt(usdc),
          BigInt(weth),
          amount,
          out,
        ),
      );
      send(
        random.pick(cast.suppliers),
        settlement,
        'settle(address[],uint256[],bytes,bytes[])',
        [
          call(
            settlement,
            relayer,
            'transferFromAccounts((address,address,uint256,bytes32)[])',
            {},
            call(relayer, usdc, f.transferFrom, { args: [first, settlement] }),
          ),
          callback3(settlement, mainnet.pool, usdc, weth, settlement, settlement),
          unwrap(settlement, coins),
          call(settlement, second, '', { value: coins }),
          call(settlement, weth, f.transfer, { args: [first] }),
        ],
        logs,
      );
    },
    'a bundle of user operations': () => {
      const { entryPoint, account, bundler } = mainnet;
      const fee = 10n ** 15n;
      const amount = part(held(usdc, account), 0.002, 0.02);
      const back = { value: (fee * 9n) / 10n };
      send(
        bundler,
        entryPoint,
        'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)',
        [
          call(
            entryPoint,
            account,
            'validateUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)',
            {},
            borrow(
              account,
              cast.implementation,
              'validateUserOp()',
              call(account, entryPoint, '', { value: fee }),
            ),
          ),
          call(
            entryPoint,
            entryPoint,
            'innerHandleOp(bytes)',
            {},
            call(
              entryPoint,
              account,
              'execute(address,uint256,bytes)',
              {},
              borrow(
                account,
                cast.implementation,
                'execute(address,uint256,bytes)',
                call(account, usdc, f.transfer),
                read(account, entryPoint, 'getNonce(address,uint192)'),
              ),
            ),
          ),
          call(entryPoint, bundler, '', back),
        ],
        [
          move(usdc, account, user(), amount),
          event(
            entryPoint,
            eventTopic('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'),
            [zero, account, zero],
            1n,
            1n,
            fee,
            1n,
          ),
        ],
      );
      // It is filled up again by its owner.
      if (held(usdc, account) < 4_000n * coin || world.get(`balance ${account}`) < 2n * coin)
        send(cast.users[3]!, account, '', [], [move(usdc, cast.users[3]!, account, 1_000n * coin)], coin);
    },
    'a piece that its buyer passes on when it comes': () => {
      const { collection } = mainnet;
      const buyer = mainnet.bot;
      send(
        user(),
        buyer,
        'mint(uint256)',
        [
          call(
            buyer,
            collection,
            'mint(uint256)',
            { value: coin / 20n },
            call(
              collection,
              buyer,
              'onERC721Received(address,address,uint256,bytes)',
              {},
              call(buyer, collection, f.transferFrom, { args: [buyer, cast.users[2]!] }),
            ),
          ),
        ],
        [],
        coin / 20n,
      );
    },
    'an exchange of pieces that tells the buyer': () => {
      const { exchange, conduit, items } = mainnet;
      const [buyer, seller] = [user(), user()];
      const price = coin / 5n;
      send(
        buyer,
        exchange,
        'fulfillAvailableAdvancedOrders()',
        [
          call(
            exchange,
            conduit,
            'execute(bytes)',
            {},
            call(
              conduit,
              items,
              'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
              { args: [seller, mainnet.exchange] },
              call(items, exchange, 'onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)'),
            ),
          ),
          call(exchange, items, 'safeTransferFrom(address,address,uint256,uint256,bytes)', {
            args: [exchange, buyer],
          }),
          call(exchange, seller, '', { value: (price * 39n) / 40n }),
          call(exchange, random.pick(cast.suppliers), '', { value: price - (price * 39n) / 40n }),
        ],
        [
          event(exchange, eventTopic('OrderFulfilled(bytes32,address,address,address,uint256)'), [
            seller,
            zero,
          ]),
        ],
        price,
      );
    },
    'a rebase': () => {
      for (const who of [mainnet.strategy, ...cast.users.slice(0, 5)])
        world.set(`token ${rebasing} ${who}`, (held(rebasing, who) * 100_010n) / 100_000n);
      world.set(`supply ${rebasing}`, (world.get(`supply ${rebasing}`) * 100_010n) / 100_000n);
      send(
        random.pick(cast.suppliers),
        rebasing,
        'handleOracleReport(uint256)',
        [],
        [event(rebasing, eventTopic('TokenRebased(uint256,uint256,uint256)'), [], 1n, 2n, 3n)],
      );
    },
    'a deposit into a vault': () => {
      const who = user();
      const amount = part(held(usdc, who), 0.2, 0.9);
      send(
        who,
        share,
        'deposit(uint256,address)',
        [
          call(share, usdc, f.transferFrom, { args: [who, share] }),
          call(share, mainnet.strategy, 'deposit()', {}, call(mainnet.strategy, usdc, f.transferFrom)),
        ],
        [
          move(usdc, who, share, amount),
          move(usdc, share, mainnet.strategy, (amount * 95n) / 100n),
          move(share, zero, who, amount),
        ],
      );
    },
    'a withdrawal from a vault': () => {
      const who = random.pick(cast.users.slice(0, 2));
      const amount = part(held(share, who), 0.002, 0.05);
      send(
        who,
        share,
        'redeem(uint256,address,address)',
        [
          call(share, mainnet.strategy, 'withdraw(uint256)', {}, call(mainnet.strategy, usdc, f.transfer)),
          call(share, usdc, f.transfer, { args: [who] }),
        ],
        [
          move(share, who, zero, amount),
          move(usdc, mainnet.strategy, share, amount),
          move(usdc, share, who, amount),
        ],
      );
    },
    'liquidity of V2': () => {
      const who = user();
      const isOut = random.next() < 0.5;
      const size = random.next() < 0.9 ? 0.003 : 0.02;
      const tokens = upTo(part(held(meme, mainnet.memePair), size, 0.06), meme, who);
      const coins = (held(weth, mainnet.memePair) * tokens) / held(meme, mainnet.memePair);
      const [from, to] = isOut ? [mainnet.memePair, who] : [who, mainnet.memePair];
      const shares = tokens / 1_000n;
      if (isOut) world.set(`token ${mainnet.memePair} ${who}`, held(mainnet.memePair, who) + shares);
      send(
        who,
        mainnet.routerV2,
        isOut ? 'removeLiquidity()' : 'addLiquidity()',
        [
          call(
            mainnet.routerV2,
            mainnet.memePair,
            isOut ? 'burn(address)' : 'mint(address)',
            {},
            ...(isOut
              ? [call(mainnet.memePair, meme, f.transfer), call(mainnet.memePair, weth, f.transfer)]
              : []),
          ),
        ],
        [
          isOut ? move(mainnet.memePair, who, zero, shares) : move(mainnet.memePair, zero, who, shares),
          move(meme, from, to, tokens),
          move(weth, from, to, coins),
          world.sync(mainnet.memePair, meme, weth),
        ],
      );
    },
    'a Safe that trades through its module': () => {
      const { treasury, module, pool } = mainnet;
      const amount = part(held(usdc, treasury), 0.005, 0.02);
      const out = quote(pool, usdc, weth, amount);
      const logs = [
        ...trade3(pool, usdc, weth, amount, treasury, mainnet.routerV3),
        unwrapped(mainnet.routerV3, out),
      ];
      logs.push(event(treasury, eventTopic('ExecutionSuccess(bytes32,uint256)'), [zero], 0n));
      world.set(`nonce ${treasury}`, world.get(`nonce ${treasury}`) + 1n);
      send(
        user(),
        treasury,
        'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
        [
          borrow(
            treasury,
            cast.implementation,
            'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
            call(
              treasury,
              module,
              'exec(bytes)',
              {},
              call(
                module,
                treasury,
                'execTransactionFromModule(address,uint256,bytes,uint8)',
                {},
                borrow(
                  treasury,
                  cast.implementation,
                  'execTransactionFromModule(address,uint256,bytes,uint8)',
                  call(
                    treasury,
                    mainnet.routerV3,
                    'multicall(bytes[])',
                    {},
                    callback3(mainnet.routerV3, pool, usdc, weth, mainnet.routerV3, treasury),
                    unwrap(mainnet.routerV3, out),
                    call(mainnet.routerV3, treasury, '', { value: out }),
                  ),
                ),
              ),
            ),
          ),
        ],
        logs,
        0n,
        [module, 0n, 320n, 0n, 0n, 0n, 0n, zero, zero, 352n, 0n, 0n],
      );
    },
    'a rollup that posts blobs': () => {
      send(
        mainnet.payer,
        mainnet.rollup,
        'addSequencerL2BatchFromBlobs(uint256,uint256,address,uint256,uint256)',
        [],
        [],
      );
    },
    'a transaction of the system': () => {
      send(
        '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
        '0x4200000000000000000000000000000000000015',
        'setL1BlockValuesEcotone()',
        [],
        [],
      );
      // Withdrawals of validators come without a transaction.
      world.set(`balance ${mainnet.treasury}`, world.get(`balance ${mainnet.treasury}`) + 10n ** 16n);
    },
    'an exchange that moves a large amount': () => {
      const supply = 10n ** 27n;
      const amount = (supply * BigInt(5 + Math.floor(random.next() * 10))) / 1_000n;
      const other = mainnet.hotWallet;
      const isOut = held(meme, other) > 150_000_000n * coin;
      const partner = cast.users[9]!;
      const [from, to] = isOut ? [other, partner] : [partner, other];
      send(from, meme, f.transfer, [], [move(meme, from, to, amount)]);
    },
    'an airdrop to many': () => {
      const from = user();
      const size = part(held(meme, from), 0.001);
      send(
        from,
        cast.router,
        'disperseToken(address,address[],uint256[])',
        [],
        Array.from({ length: 60 }, () => move(meme, from, user(), size)),
      );
    },
    'an arbitrage between two pools': () => {
      const { bot, memePair: pair, memePool: pool } = mainnet;
      const sold = held(weth, pool) / 1_000n;
      const isPairFirst = earns(pair, pool, meme, sold);
      if (!isPairFirst && !earns(pool, pair, meme, sold)) return;
      const trades = tradeRound(
        bot,
        isPairFirst ? ['pair', 'pool'] : ['pool', 'pair'],
        { pair, pool },
        meme,
        sold,
      );
      send(user(), bot, 'run(bytes)', trades.steps, trades.logs);
    },
  };
  return shapes;
}
