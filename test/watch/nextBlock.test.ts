import type { Hex } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
const opcodes = { timestamp: '42', number: '43', gasPrice: '3a' };
let anvil: Anvil;
let vigil: TestWatch;
let vault: Contract;

beforeAll(async () => {
  anvil = await startAnvil();
  vigil = await startTestWatch({ anvil: { urls: [anvil.wsUrl], confirmations: 1 } });
  vault = await anvil.deploy(artifacts.SilentVault);
  const contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
  await vigil.addDetector(contractId, 'drain', { pending: true });
  vigil.watch();
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
  await until(async () => {
    const { data } = await vigil.ok('GET', 'chain');
    return data.find(({ chainUid }: Json) => chainUid === 'anvil').pending.state === 'ok';
  });
});
afterAll(async () => {
  await vigil?.stop();
  await anvil?.stop();
});

/** Empties the vault where what the opcode reads is greater than the argument, and does nothing otherwise. */
async function addGate(opcode: string, number: number): Promise<Hex.Hex> {
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  const selector = vault.encode('sweep', vault.address, 0n).slice(2, 10);
  const take = `7f${selector.padEnd(64, '0')}600052336004527f${word(5n * ether)}602452`;
  const call = `6000600060446000600073${vault.address.slice(2)}5af15000`;
  const head = `600035${opcode}111561`;
  const end = (head.length + 4 + 2 + take.length + call.length) / 2;
  const code = `0x${head}${end.toString(16).padStart(4, '0')}57${take}${call}5b00`;
  const address: Hex.Hex = `0x${number.toString(16).padStart(40, '0')}`;
  await anvil.setCode(address, code);
  return address;
}

/** Puts a transaction into the pool that takes all where the condition holds. */
async function attack(gate: Hex.Hex, argument: bigint): Promise<Hex.Hex> {
  const data = `0x${argument.toString(16).padStart(64, '0')}`;
  return anvil.submit({ from: anvil.accounts[2], to: gate, data });
}

async function fill(): Promise<{ number: bigint; timestamp: bigint }> {
  await vault.send({ from: anvil.accounts[0], value: 5n * ether }, 'deposit');
  const { number, timestamp } = await anvil.block();
  await vigil.reached('anvil', Number(number));
  await anvil.setAutomine(false);
  return { number: BigInt(number), timestamp: BigInt(timestamp) };
}

async function isRaisedPending(hash: string): Promise<void> {
  await until(async () => (await vigil.alerts(`txHash:${hash}`)).length > 0);
  const [alert] = await vigil.alerts(`txHash:${hash}`);
  expect(alert).toMatchObject({ finality: 'PENDING', severity: 'CRITICAL', detectorSchemaName: 'drain' });
}

async function settle(): Promise<void> {
  await anvil.mine();
  await anvil.setAutomine(true);
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
  expect(await anvil.balance(vault.address)).toBe(0n);
}

describe('a pending transaction is run in the next block', () => {
  it('a pending transaction that needs a block number is run in the block after the newest one', async () => {
    const { number } = await fill();
    await isRaisedPending(await attack(await addGate(opcodes.number, 0xa1), number));
    await settle();
  });

  it('a pending transaction that needs a time is run after that of the newest block', async () => {
    const { timestamp } = await fill();
    await isRaisedPending(await attack(await addGate(opcodes.timestamp, 0xa2), timestamp));
    await anvil.setTime(timestamp + 12n);
    await settle();
  });

  it('a pending transaction that needs a gas price is run at its own price', async () => {
    await fill();
    await isRaisedPending(await attack(await addGate(opcodes.gasPrice, 0xa3), 0n));
    await settle();
  });

  it('a pending transaction is run again when the chain goes on while it is pending', async () => {
    const { number } = await fill();
    const gate = await addGate(opcodes.number, 0xa4);
    const before = vigil.calls.get('debug_traceCall') ?? 0;
    const hash = await attack(gate, number + 2n);
    // No block has room for it meanwhile.
    await anvil.rpc('evm_setBlockGasLimit', '0xf4240');
    await until(async () => (vigil.calls.get('debug_traceCall') ?? 0) > before);
    expect(await vigil.alerts(`txHash:${hash}`)).toEqual([]);
    await until(async () => {
      await anvil.mine();
      return (await vigil.alerts(`txHash:${hash}`)).length > 0;
    });
    await isRaisedPending(hash);
    await anvil.rpc('evm_setBlockGasLimit', '0x1c9c380');
    await settle();
  });
});
