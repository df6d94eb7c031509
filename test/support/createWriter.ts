import type { TestClient } from '../../testing/createClient.ts';
import type { Random } from '../../testing/createRandom.ts';
import type { Json } from '../../testing/startTestApi.ts';
import type { Acknowledged, Ledger } from './openLedger.ts';

/** The records of a tenant of the crash test that never change. */
export type WriterOwner = {
  tenantId: number;
  token: string;
  planId: number;
  walletId: number;
  destinationIds: number[];
  detectorIds: number[];
  alertIds: number[];
};

/** A request whose answer has not come: it may have happened or not, but not half. */
export type Pending =
  | { type: 'create'; path: string; body: Json; token: string; key: string }
  | { type: 'update'; path: string; id: number; body: Json; token: string }
  | { type: 'delete'; path: string; id: number; token: string; owned: Place[] };

type Place = { path: string; id: number };
/** A record of this writer and what it owns. */
type Node = Place & { below: Node[] };

export type Writer = {
  /** Writes until a request is not acknowledged, which it leaves as `pending`. */
  write(client: TestClient): Promise<void>;
  /** The request that was cut off, if any; once it is settled the writer can go on. */
  pending(): Pending | undefined;
  settle(acknowledged: Place | undefined): void;
  written(): number;
};

/** One connection's worth of creations, changes and deletions, each noted in the ledger when it is acknowledged. */
export function createWriter(name: string, ground: WriterOwner, random: Random, ledger: Ledger): Writer {
  const root: Node = { path: '', id: 0, below: [] };
  let pending: Pending | undefined;
  let count = 0;
  let written = 0;

  function next(client: TestClient): Pending {
    const label = `${name}-${++count}`;
    const { tenantId, token, planId } = ground;
    const create = (path: string, body: Json, by = token): Pending => ({
      type: 'create',
      path,
      body,
      token: by,
      key: label,
    });
    const projects = root.below.filter(({ path }) => path === 'project');
    const contracts = projects.flatMap(({ below }) => below);
    const categories = contracts.flatMap(({ below }) =>
      below.filter(({ path }) => path === 'tokenomics/category'),
    );
    const actions = contracts.flatMap(({ below }) => below.filter(({ path }) => path === 'action'));
    const dice = random.below(100);
    if (projects.length === 0 || dice < 8)
      return create('project', { name: label, tags: [label], params: { label } });
    if (contracts.length === 0 || dice < 18) {
      const address = `0x${Buffer.from(label).toString('hex').padStart(40, '0').slice(-40)}`;
      return create('contract', {
        projectId: random.pick(projects).id,
        name: label,
        chainUid: 'anvil',
        address,
      });
    }
    if (actions.length === 0 || dice < 30)
      return create('action', {
        contractId: random.pick(contracts).id,
        walletId: ground.walletId,
        name: label,
        funcSignature: 'pause()',
        ...bindings(label),
      });
    if (dice < 36)
      return create('tokenomics/category', { contractId: random.pick(contracts).id, name: label });
    if (categories.length > 0 && dice < 44) {
      const amounts = Array.from({ length: 1 + random.below(20) }, (_, i) => ({
        timestamp: i,
        amount: String(i),
      }));
      return create('tokenomics/schedule', { categoryId: random.pick(categories).id, name: label, amounts });
    }
    if (dice < 50) {
      // A period of its own, because active ones of one tenant may not overlap.
      const startDate = 6_000_000_000_000 + (2 * count + (name.endsWith('1') ? 1 : 0)) * 1000;
      return create(
        'subscription',
        { tenantId, planId, startDate, expirationDate: startDate + 1000, notifyBeforeExpireDays: [count] },
        client.token,
      );
    }
    if (dice < 60)
      return {
        type: 'update',
        ...place(random.pick(projects)),
        body: { description: label, tags: [label], meta: { label } },
        token,
      };
    if (dice < 68)
      return {
        type: 'update',
        ...place(random.pick(contracts)),
        body: { name: label, category: label },
        token,
      };
    if (dice < 96 || projects.length < 3)
      return { type: 'update', ...place(random.pick(actions)), body: bindings(label), token };
    const doomed = random.pick(projects);
    return { type: 'delete', ...place(doomed), token, owned: doomed.below.flatMap(everyone).map(place) };
  }

  /** Three lists that all carry the same label, so that a mixture of two requests shows. */
  function bindings(label: string): Json {
    const some = (ids: readonly number[]) => ids.filter(() => random.chance(0.6));
    return {
      description: label,
      destinations: some(ground.destinationIds).map((tenantDestinationId) => ({ tenantDestinationId })),
      detectors: some(ground.detectorIds).map((detectorId) => ({
        detectorId,
        scriptFilter: `e.name === '${label}'`,
        scriptParams: { label: `'${label}'` },
      })),
      triggerAlerts: some(ground.alertIds).map((triggerAlertId) => ({
        triggerAlertId,
        scriptFilter: `e.name === '${label}'`,
      })),
    };
  }

  /** Puts what was acknowledged into the tree of what there is. */
  function adopt(request: Pending, id: number): void {
    if (request.type === 'update') return;
    if (request.type === 'delete') {
      root.below = root.below.filter((node) => node.id !== id || node.path !== request.path);
      return;
    }
    const { projectId, contractId, categoryId } = request.body;
    const parents: Record<string, unknown> = {
      project: projectId,
      contract: contractId,
      'tokenomics/category': categoryId,
    };
    const parent = everyone(root).find(
      (node) => parents[node.path] !== undefined && parents[node.path] === node.id,
    );
    (parent ?? root).below.push({ path: request.path, id, below: [] });
  }

  return {
    async write(client) {
      for (;;) {
        const request = next(client);
        pending = request;
        const answer = await send(client, request).catch(() => undefined);
        if (answer === undefined || answer.status === 503) return;
        if (answer.status >= 300)
          throw new Error(`${JSON.stringify(request)} answered ${answer.status}: ${answer.text}`);
        ledger.note(toLines(request, answer.body));
        adopt(request, answer.body.id ?? ('id' in request ? request.id : 0));
        pending = undefined;
        written += 1;
      }
    },
    pending: () => pending,
    settle(acknowledged) {
      if (pending && acknowledged) {
        adopt(pending, acknowledged.id);
        // On a busy machine a writer may be cut off in every round before its first answer.
        written += 1;
      }
      pending = undefined;
    },
    written: () => written,
  };
}

export function send(client: TestClient, request: Pending) {
  const { token } = request;
  switch (request.type) {
    case 'create':
      return client.call('POST', request.path, request.body, {
        token,
        headers: { 'idempotency-key': request.key },
      });
    case 'update':
      return client.call('PUT', `${request.path}/${request.id}`, request.body, { token });
    case 'delete':
      return client.call('DELETE', `${request.path}/${request.id}`, undefined, { token });
  }
}

/** What an acknowledged request says of the records it touched. */
export function toLines(request: Pending, record: Json): Acknowledged[] {
  if (request.type !== 'delete') return [{ path: request.path, id: record.id, record }];
  return [place(request), ...request.owned].map((gone) => ({ ...gone, record: null }));
}

function place({ path, id }: Place): Place {
  return { path, id };
}

function everyone(node: Node): Node[] {
  return [node, ...node.below.flatMap(everyone)];
}
