import type { Hex } from 'ox';
import type { ChainUid } from '../../../src/chains/chains.ts';
import { addressOf } from '../../../testing/simulator/signTransfer.ts';
import type { Json } from '../../../testing/startTestApi.ts';
import type { TestWatch } from '../../../testing/startTestWatch.ts';

export const privateKey: Hex.Hex = `0x${'17'.repeat(32)}`;
export const sender = addressOf(privateKey).toLowerCase();
/** Of a contract that only the simulator has. */
export const target = `0x${'c0'.repeat(20)}`;

export type Guard = Awaited<ReturnType<typeof addGuard>>;

let last = 0;

/** A contract with an action that a pushed alert fires; what it calls tells of which alert it comes. */
export async function addGuard(
  vigil: TestWatch,
  members: { tenantId?: number; chainUid?: ChainUid; address?: string; wallet?: Json; action?: Json } = {},
) {
  const { tenantId = vigil.tenantId, chainUid = 'anvil', address = target } = members;
  const { wallet = {}, action = {} } = members;
  const project = await vigil.ok('POST', 'project', { tenantId, name: `Guarded ${++last}` });
  const contractId = await vigil.addContract(address, { projectId: project.id, chainUid });
  const detectorId = await vigil.addDetector(contractId, 'pause_state', {}, { source: 'EXTERNAL' });
  const { id: walletId } = await vigil.ok('POST', 'wallet', {
    allowedCalls: null,
    tenantId,
    chainUid,
    name: `Guardian ${last}`,
    privateKey,
    ...wallet,
  });
  const { id: actionId } = await vigil.ok('POST', 'action', {
    contractId,
    walletId,
    name: 'Ping',
    funcSignature: 'ping(uint256 id, string note)',
    params: [{ name: 'note', value: 'by Vigil' }],
    detectors: [{ detectorId, scriptParams: { id: 'e.meta.number' } }],
    ...action,
  });
  return {
    contractId,
    detectorId,
    actionId: Number(actionId),
    walletId: Number(walletId),
    /** Raises alerts that fire the action, and tells their numbers. */
    async raise(count: number, members: Json = {}): Promise<number[]> {
      const numbers = Array.from({ length: count }, () => ++last);
      const alerts = numbers.map((number) => ({
        eid: String(number),
        message: 'An attack.',
        meta: { number },
        ...members,
      }));
      await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts });
      return numbers;
    },
  };
}

/** The number of the alert that a call comes from. */
export function numberIn(data: string): number {
  return Number(`0x${data.slice(10, 74)}`);
}
