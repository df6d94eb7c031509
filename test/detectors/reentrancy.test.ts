import { beforeEach, describe, expect, it } from 'vitest';
import { type CallNode, call, encode, flatten, read } from '../../bench/support/detection/callTree.ts';
import { cast, createStage } from '../../bench/support/detection/cast.ts';
import { coin, type LogSpec, toTopic, type World } from '../../bench/support/detection/createWorld.ts';
import { mainnet, placeMainnet } from '../../bench/support/detection/mainnetCast.ts';
import { observeWorld } from '../../bench/support/detection/observeWorld.ts';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import type { Finding } from '../../src/model/alert.ts';

const { vault, token, attacker } = cast;
const { usdc } = mainnet;
const thief = `${attacker.slice(0, -4)}beef`;
const fake = `${attacker.slice(0, -4)}fa4e`;
const zero = `0x${'0'.repeat(40)}`;
let world: World;

beforeEach(() => {
  world = createStage(Date.UTC(2026, 0, 5, 6));
  placeMainnet(world);
  world.set(`balance ${vault}`, 1_000n * coin);
  world.transfer(usdc, zero, vault, 1_000_000n * coin);
  world.transfer(vault, zero, cast.users[0]!, 1_000n * coin);
  world.transfer(usdc, zero, thief, 1_000n * coin);
  world.begin();
});

/** What the detector says of one transaction of the attacker. */
async function judge(
  inner: readonly CallNode[],
  logs: readonly LogSpec[] = [],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Finding | undefined> {
  const observer = observeWorld(world, [{ detector: 'reentrancy', on: vault, settings }]);
  for (const { from, to, value = 0n, isReverted } of flatten(inner))
    if (value > 0n && !isReverted) world.pay(from, to, value);
  world.send({ from: attacker, to: thief, input: '0xdeadbeef', inner: flatten(inner), logs });
  const found = await observer.mine(12_000);
  world.begin();
  expect(found.length).toBeLessThan(2);
  return found[0]?.finding;
}

const event = (): LogSpec => ({
  address: vault,
  topics: [eventTopic('Deposited(address,address,uint256)'), toTopic(thief), toTopic(token)],
  data: '0x',
});
const move = (asset: string, from: string, to: string, whole: bigint) =>
  world.transfer(asset, from, to, whole * coin);
const pay = (whole: bigint, ...inner: CallNode[]) =>
  call(vault, thief, '', { value: whole * coin }, ...inner);
const withdraw = (...inner: CallNode[]) => call(thief, vault, 'withdraw(uint256)', {}, ...inner);

describe('reentrancy by an attacker', () => {
  it('reentrancy of coins is CRITICAL and says what is missing', async () => {
    const deposit = call(thief, vault, 'deposit()', { value: 100n * coin });
    const found = await judge([deposit, withdraw(pay(100n, withdraw(pay(100n, withdraw(pay(100n))))))]);
    expect(found).toMatchObject({ severity: 'CRITICAL', meta: { entries: 2, percent: 20 } });
    expect(found?.message).toContain('Watched lost 200 ETH (20 %)');
    expect(found?.meta.lost).toBe((200n * coin).toString());
  });

  it('reentrancy through the hook of a token that the vault takes is HIGH', async () => {
    const hook = call(
      token,
      thief,
      'tokensToSend(address,address,address,uint256,bytes,bytes)',
      {},
      call(thief, vault, 'withdraw(address,uint256)', {}, call(vault, token, 'transfer(address,uint256)')),
    );
    const supply = call(
      thief,
      vault,
      'supply(address,uint256)',
      {},
      call(vault, token, 'transferFrom(address,address,uint256)', {}, hook),
    );
    const found = await judge([supply], [move(token, vault, thief, 40_000n), event()]);
    expect(found).toMatchObject({ severity: 'HIGH', meta: { function: expect.any(String), percent: 4 } });
  });

  it('reentrancy through the attacker’s own token, which makes the vault issue too many shares, is HIGH', async () => {
    const deposit = 'deposit(address,uint256)';
    const inner = call(
      vault,
      fake,
      'transferFrom(address,address,uint256)',
      {},
      call(
        fake,
        thief,
        'go()',
        {},
        call(thief, vault, deposit, {}, call(vault, usdc, 'transferFrom(address,address,uint256)')),
      ),
    );
    const logs = [
      move(usdc, thief, vault, 1_000n),
      move(vault, zero, thief, 10n),
      move(vault, zero, thief, 10n),
    ];
    expect(await judge([call(thief, vault, deposit, {}, inner)], logs)).toMatchObject({
      severity: 'HIGH',
      meta: { mintedPercent: 2 },
    });
  });

  it('reentrancy within the attacker’s flash loan, paid back by a deposit or a mere payment, is CRITICAL', async () => {
    for (const signature of ['deposit()', '']) {
      const back = call(thief, vault, signature, { value: 300n * coin });
      const loan = call(thief, vault, 'flashLoan(uint256)', {}, pay(300n, back));
      expect(await judge([loan, withdraw(pay(300n))]), signature).toMatchObject({ severity: 'CRITICAL' });
    }
  });

  it('reentrancy in the turn of a flash loan of ERC-3156 counts when something with a price is missing', async () => {
    const turn = (...inner: CallNode[]) =>
      call(
        thief,
        vault,
        'flashLoan(address,address,uint256,bytes)',
        {},
        call(vault, usdc, 'transfer(address,uint256)'),
        call(vault, thief, 'onFlashLoan(address,address,uint256,uint256,bytes)', {}, ...inner),
      );
    const deposit = call(
      thief,
      vault,
      'deposit(uint256)',
      {},
      call(vault, usdc, 'transferFrom(address,address,uint256)'),
    );
    const taken = withdraw(call(vault, usdc, 'transfer(address,uint256)'));
    const found = await judge([turn(deposit), taken], [move(usdc, vault, thief, 200_000n), event()]);
    expect(found).toMatchObject({ severity: 'HIGH' });
    expect(await judge([turn(deposit)], [event()])).toBeUndefined();
  });

  it('reentrancy through a function of the attacker’s own token, while it pays, is CRITICAL', async () => {
    const pass = call(thief, vault, 'transfer(address,uint256)');
    expect(await judge([withdraw(pay(200n, pass))])).toMatchObject({ severity: 'CRITICAL' });
    expect(
      await judge([call(thief, vault, 'deposit()', { value: coin }, call(vault, thief, '', {}, pass))]),
    ).toBeUndefined();
  });

  it('is CRITICAL whatever worthless things come in', async () => {
    const logs = [{ ...move(token, cast.users[0]!, vault, 0n) }, event()];
    world.transfer(fake, zero, thief, 10n * coin);
    logs.push(move(fake, thief, vault, 5n));
    const take = call(vault, fake, 'transferFrom(address,address,uint256)');
    expect(await judge([withdraw(take, pay(200n, withdraw(pay(200n))))], logs)).toMatchObject({
      severity: 'CRITICAL',
    });
  });

  it('reentrancy with what is the attacker’s own is LOW, also in any number and where a guard stops it', async () => {
    const deposit = call(thief, vault, 'deposit()', { value: 10n * coin });
    const own = [deposit, withdraw(pay(5n, withdraw(pay(5n))))];
    expect(await judge(own, [event()])).toMatchObject({ severity: 'LOW' });
    const stopped = call(thief, vault, 'withdraw(uint256)', { isReverted: true });
    expect(await judge([withdraw(pay(0n, stopped))])).toMatchObject({
      severity: 'LOW',
      meta: { isReverted: true },
    });
    expect(await judge([withdraw(pay(0n, stopped))], [], { attempts: false })).toBeUndefined();
  });

  it('reentrancy of a reading function is MEDIUM where it is asked for', async () => {
    const look = [withdraw(pay(0n, read(thief, vault, 'getRate()')))];
    expect(await judge(look)).toBeUndefined();
    expect(await judge(look, [], { readOnly: true })).toMatchObject({ severity: 'MEDIUM' });
  });

  it('is left out for functions and callers that are named', async () => {
    const again = [withdraw(pay(100n, withdraw(pay(100n))))];
    expect(await judge(again, [], { allowedFunctions: ['withdraw(uint256)'] })).toBeUndefined();
    expect(await judge(again, [], { allowedCallers: [thief] })).toBeUndefined();
    expect(await judge(again)).toMatchObject({ severity: 'CRITICAL' });
  });
});

describe('reentrancy by design', () => {
  it('is silent where a contract sends its own call round by another', async () => {
    const own = call(thief, vault, 'withdraw(uint256)', { args: [7n] });
    const round: CallNode = {
      call: {
        ...call(vault, cast.governor, '').call,
        input: `${encode('call(address,bytes)', [vault])}${own.call.input!.slice(2)}`,
      },
      inner: [
        call(
          cast.governor,
          vault,
          'withdraw(uint256)',
          { args: [7n] },
          call(vault, usdc, 'transfer(address,uint256)'),
        ),
      ],
    };
    const outer = { ...own, inner: [round] };
    expect(await judge([outer], [move(usdc, vault, thief, 100_000n), event()])).toBeUndefined();
  });
});
