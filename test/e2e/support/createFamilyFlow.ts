import type { ChainUid } from '../../../src/chains/chains.ts';
import { createWorkspace, type Environment, type Vigil } from '../../../testing/createWorkspace.ts';
import { runStatement } from '../../../testing/databaseOf.ts';
import type { Json } from '../../../testing/startTestApi.ts';
import { until } from '../../../testing/until.ts';
import { startHttpSink } from '../../notify/support/httpSink.ts';

type Watched = {
  contract: Json;
  privateKey: string;
  action: Json;
  detector: { name: string; config: Json };
  /** The height of the chain: the detector is added when Vigil has reached it. */
  height: () => Promise<number>;
};

/**
 * Vigil as a process of its own that watches one chain, from a block to the confirmation of the call that it answers with; it can
 * be killed in between.
 */
export async function createFamilyFlow(chainUid: ChainUid, env: Environment) {
  const [workspace, sink] = await Promise.all([createWorkspace(), startHttpSink()]);
  const dataDir = workspace.folder('data');
  const serve = () =>
    workspace.serve(dataDir, {
      VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
      [`VIGIL_CHAIN_${chainUid.toUpperCase()}_CONFIRMATIONS`]: '1',
      ...env,
    });
  let vigil: Vigil = await serve();
  let actionId = 0;
  const processed = async (): Promise<number> => {
    const { data } = await vigil.ok('GET', 'chain');
    return data.find((chain: Json) => chain.chainUid === chainUid).processed ?? -1;
  };
  const alerts = async (query: string): Promise<Json[]> =>
    (await vigil.ok('POST', 'alert/search', { query, size: 100 })).data;

  return {
    sink,
    alerts,
    /** A contract whose detector notifies and fires the action; returns the wallet that signs. */
    async watch({ contract, privateKey, action, detector, height }: Watched): Promise<Json> {
      const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
      const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Gold' });
      const { id: contractId } = await vigil.ok('POST', 'contract', {
        projectId: project.id,
        chainUid,
        ...contract,
      });
      // What happened before is no alert of a detector that is added later.
      const reached = await height();
      await until(async () => (await processed()) >= reached);
      const wallet = await vigil.ok('POST', 'wallet', {
        allowedCalls: null,
        tenantId: tenant.id,
        chainUid,
        name: 'Guardian',
        privateKey,
      });
      actionId = (
        await vigil.ok('POST', 'action', { contractId, walletId: wallet.id, fireAt: 'head', ...action })
      ).id;
      const destination = await vigil.ok('POST', 'destination', {
        tenantId: tenant.id,
        type: 'HTTP',
        uri: `${sink.url}/hook`,
      });
      const { data: schemas } = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
      await vigil.ok('POST', 'detector', {
        contractId,
        schemaId: schemas.find(({ name }: Json) => name === detector.name).id,
        name: 'Guard',
        config: detector.config,
        destinations: [{ tenantDestinationId: destination.id }],
        actions: [{ actionId }],
      });
      return wallet;
    },
    raised: (hash: string) => until(async () => (await alerts(`txHash:${hash}`)).length > 0),
    retracted: (hash: string) =>
      until(async () => (await alerts(`txHash:${hash} AND status:RETRACTED`)).length > 0),
    intents: async (): Promise<Json[]> => (await vigil.ok('GET', `action/${actionId}/intent`)).data,
    /** Kills Vigil and starts it again; waiting for the ends of its leases would only take time. */
    async crash(): Promise<void> {
      await vigil.stop('SIGKILL');
      vigil = await serve();
      await runStatement(dataDir, 'update action_intent set lease_until = null, next_attempt_at = 0');
      await runStatement(dataDir, 'update delivery_queue set lease_until = now() where lease_until > now()');
    },
    async stop(): Promise<void> {
      await workspace.remove();
      await sink.close();
    },
  };
}
