import { artifacts } from '../../../testing/contracts/artifacts.ts';
import type { Anvil } from '../../../testing/startAnvil.ts';
import type { Product } from './startProduct.ts';

export const roomAlerts = 5000;
/** One call of the first level holds so many of the second, and so on. */
const outerCalls = 99;
const innerCalls = 100;
export const traceFrames = 1 + outerCalls + outerCalls * innerCalls;

/**
 * Calls the address in the first word of its input as often as the second says, with the input behind both:
 * a loop around CALL, written by hand so that a frame costs a few hundred gas.
 */
const repeater =
  '0x60403603806040600037602035' +
  '5b8015602957' +
  '6000600083600060006000355af150' +
  '6001900360' +
  '0d565b00';
const repeaterAddress = '0x00000000000000000000000000000000000bec0d';

export type Room = {
  incidentUid: string;
  /** An alert whose transaction has `traceFrames` frames. */
  tracedUid: string;
};

/** An incident of 5,000 alerts in 250 transactions, and beside it a real transaction of 10,000 frames on a chain of its own. */
export async function seedRoom({ ok }: Product, anvil: Anvil, tenantId: number): Promise<Room> {
  const token = await anvil.deploy(artifacts.Token, 'Bench Dollar', 'BUSD', 18, 10n ** 24n);
  await anvil.rpc('anvil_setCode', repeaterAddress, repeater);
  await token.send(anvil.accounts[0], 'transfer', repeaterAddress, 10n ** 21n);
  const word = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, '0');
  const transfer = token.encode('transfer', anvil.accounts[3], 1n).slice(2);
  const inner = `${word(token.address)}${word(innerCalls)}${transfer}`;
  const receipt = await anvil.send({
    to: repeaterAddress,
    data: `0x${word(repeaterAddress)}${word(outerCalls)}${inner}`,
    gas: 90_000_000n,
  });
  if (receipt.status !== 'success') throw new Error('The transaction of many frames failed.');
  const project = await ok('POST', 'project', { tenantId, name: 'Room' });
  const contract = await ok('POST', 'contract', {
    projectId: project.id,
    name: 'Bench Dollar',
    chainUid: 'anvil',
    address: token.address,
    abi: [...token.abi],
  });
  const schema = await ok('POST', 'detector/schema', { title: 'Room', name: 'room', version: '1.0.0' });
  const detector = await ok('POST', 'detector', {
    contractId: contract.id,
    schemaId: schema.id,
    name: 'Room',
    source: 'EXTERNAL',
  });
  const thief = anvil.accounts[4];
  await ok('POST', 'label', { tenantId, address: thief, name: 'Known exploiter', tags: ['EXPLOIT'] });
  const began = Date.now() - roomAlerts;
  const make = (n: number) => {
    const amount = 1000 + n;
    const change = {
      asset: token.address,
      symbol: 'BUSD',
      change: `-${amount}`,
      held: '9000000',
      percent: 1,
    };
    return {
      eid: `room-${n}`,
      timestamp: began + n,
      severity: 'HIGH',
      name: 'Drain',
      message: `A transaction of ${thief} took ${amount} BUSD of what Bench Dollar held, block ${n}.`,
      txHash: `0x${(n % 250).toString(16).padStart(64, 'd')}`,
      // Severe alerts of one block are one incident.
      blockHash: `0x${'b5'.repeat(32)}`,
      blockNumber: 1,
      meta: { sender: thief, assets: [change], recipients: [thief], amount: String(amount), symbol: 'BUSD' },
      tags: ['DRAIN'],
    };
  };
  const push = (alerts: object[]) =>
    ok<{ results: { uid: string }[] }>('POST', `detector/${detector.id}/alert`, { alerts });
  for (let at = 0; at < roomAlerts; at += 1000)
    await push(Array.from({ length: 1000 }, (_, n) => make(at + n)));
  const traced = await push([
    {
      eid: 'traced',
      severity: 'LOW',
      name: 'Many calls',
      message: 'A transaction of many calls.',
      txHash: receipt.transactionHash,
      blockNumber: Number(receipt.blockNumber),
    },
  ]);
  return { incidentUid: await findRoom(ok), tracedUid: traced.results[0]!.uid };
}

async function findRoom(ok: Product['ok']): Promise<string> {
  const body = { where: "name = 'Drain'", size: 10 };
  const { data } = await ok<{ data: { uid: string; alerts: number }[] }>('POST', 'incident/search', body);
  const room = data.find(({ alerts }) => alerts === roomAlerts);
  if (!room) throw new Error(`No incident has ${roomAlerts} alerts: ${JSON.stringify(data).slice(0, 300)}`);
  return room.uid;
}
