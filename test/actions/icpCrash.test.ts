import { setTimeout as sleep } from 'node:timers/promises';
import { IDL } from '@icp-sdk/core/candid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createIcpKey } from '../../testing/icp/createIcpKey.ts';
import { addLedger, canisterId } from '../../testing/icp/ledgerCanister.ts';
import { type Replica, startReplica } from '../../testing/icp/startReplica.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { type Actors, createActors } from './support/createActors.ts';
import { isWholeProof, killAtSteps } from './support/killAtSteps.ts';

const guard = createIcpKey();
const [vault, safe] = [canisterId(9), canisterId(40)];
/** Calls are valid for two minutes from the clock of who signs them: by one that is behind, for three seconds of the network's. */
const behindMs = 117_000;

describe('kill -9 while calls are made on the Internet Computer', () => {
  const random = createRandom('calls and crashes on the Internet Computer');
  let replica: Replica;
  let ledger: ReturnType<typeof addLedger>;
  let vigil: TestWatch;
  let actors: Actors;
  /** What the canister was called with. */
  const noted: number[] = [];

  beforeAll(async () => {
    replica = await startReplica();
    ledger = addLedger(replica, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
    ledger.mint(guard.address, 10n ** 12n);
    replica.canisters.set(vault, {
      controllers: [],
      moduleHash: null,
      candid: 'service : { note : (nat) -> () }',
      methods: {
        note: {
          args: [IDL.Nat],
          results: [],
          run([number]) {
            noted.push(Number(number));
            return [];
          },
        },
      },
    });
    const settings = { urls: [replica.url], network: replica.rootKey, confirmations: 0 };
    vigil = await startTestWatch({ icp: settings });
    const { connection } = vigil;
    const privateKey = guard.kept;
    const setup = { connection, chainUid: 'icp', ...settings, privateKey, stuckMs: 200, behindMs } as const;
    actors = await createActors(setup);
  });
  afterAll(async () => {
    await actors?.stop();
    await vigil?.stop();
    await replica?.stop();
  });

  it('each payment and each call is made once, whichever step the process dies at and whatever the network forgets', async () => {
    const wallet = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: vigil.tenantId,
      chainUid: 'icp',
      name: 'Guard',
      privateKey: guard.pem,
    });
    const contractId = await vigil.addContract(icpLedgerId, { chainUid: 'icp' });
    const vaultId = await vigil.addContract(vault, { chainUid: 'icp' });
    const detectorId = await vigil.addDetector(contractId, 'large_transfer', {}, { source: 'EXTERNAL' });
    const members = { walletId: wallet.id, fireAt: 'head' };
    await vigil.ok('POST', 'action', {
      ...members,
      contractId,
      name: 'Pay',
      funcSignature: 'icrc1_transfer',
      params: [{ name: 'to', value: safe }],
      detectors: [{ detectorId, scriptParams: { amount: '1000000 + e.meta.number' } }],
    });
    // No ledger keeps it from being made twice.
    await vigil.ok('POST', 'action', {
      ...members,
      contractId: vaultId,
      name: 'Note',
      funcSignature: 'note',
      detectors: [{ detectorId, scriptParams: { arg0: 'e.meta.number' } }],
    });
    const losses = isWholeProof ? 30 : 1;
    const meanwhile = async () => {
      await sleep(60);
      replica.isLosing = losses > replica.lost() && random.chance(0.3);
      replica.isHolding = random.chance(0.5);
      if (random.chance(0.5)) await replica.release();
    };
    const intents = await killAtSteps({ vigil, actors, random, detectorId, meanwhile });
    await replica.release();
    const sorted = (made: readonly number[]) => made.toSorted((one, other) => one - other);
    const numbers = sorted([...new Set(intents.map(({ number }) => number))]);
    const paid = ledger.entries
      .filter(({ to }) => to === safe)
      .map(({ amount }) => Number(amount) - 1_000_000);
    expect(intents).toHaveLength(2 * numbers.length);
    expect(sorted(paid), `seed ${random.seed}`).toEqual(numbers);
    expect(sorted(noted), `seed ${random.seed}`).toEqual(numbers);
  });
});
