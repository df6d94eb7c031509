import { cutText } from '../lib/cutText.ts';
import type { HeartbeatState } from '../model/heartbeat.ts';
import { loadConfig } from '../runtime/config/loadConfig.ts';
import type { Store } from '../store/db/db.ts';
import { findMissingFixes } from '../store/db/findMissingFixes.ts';
import type { Connection } from '../store/db/openClient.ts';
import { openStore } from '../store/db/openStore.ts';
import { connectionsPerProcess, findNodeFaults, nameNode } from '../store/db/shards/nodeFaults.ts';
import { type Cluster, readCluster } from '../store/db/shards/readCluster.ts';
import { type ClusterNode, readNodes } from '../store/db/shards/readNodes.ts';
import { attachEmbedded } from '../store/embedded/attachEmbedded.ts';
import { readEmbeddedRelease } from '../store/embedded/readEmbeddedRelease.ts';
import { readHeartbeat } from '../store/telemetry/heartbeat.ts';
import { findOpenWallets } from '../store/wallets/findOpenWallets.ts';
import { readTopology, type ServerState } from '../store/watch/readTopology.ts';

/** Prints what the database servers are to each other, and what of it would lose data, stop Vigil or slow it down. */
export async function doctor(): Promise<number> {
  const { databaseUrl, directUrl, replicaUrls, dataDir } = loadConfig();
  if (!databaseUrl) return checkBundled(dataDir);
  const address = directUrl ?? databaseUrl;
  const [servers = [], ...followers] = await Promise.all([address, ...replicaUrls].map(readTopology));
  const replicas = followers.flat();
  for (const server of servers) process.stdout.write(`${describe(server)}\n`);
  for (const replica of replicas) process.stdout.write(`replica ${describe(replica)}\n`);
  const primary = servers.find(takesWrites);
  const cluster = primary && (await readCluster(primary.connectionString));
  const nodes = cluster && (await readNodes(primary.connectionString));
  if (cluster) process.stdout.write(`${describeCluster(cluster, nodes?.nodes ?? [])}\n`);
  if (primary) await withStore({ connectionString: primary.connectionString }, printState);
  // Of the coordinator, its standbys and connections are among those of the nodes.
  const faults = nodes
    ? [...findServerFaults(servers, replicas), ...(cluster?.faults ?? []), ...findNodeFaults(nodes)]
    : [...findServerFaults(servers, replicas), ...findPrimaryFaults(servers)];
  for (const warning of findWarnings(servers, replicas)) process.stdout.write(`Warning: ${warning}\n`);
  const isAlone = !nodes && servers.length === 1 && primary?.fault === undefined && !primary?.standbys.length;
  if (isAlone && primary)
    process.stdout.write(
      `Warning: No standby follows ${primary.name}; its loss would lose everything since the last backup.\n`,
    );
  for (const fault of faults) process.stdout.write(`Fault: ${fault}\n`);
  if (faults.length === 0)
    process.stdout.write(
      isAlone
        ? 'Nothing else is wrong with the database server.\n'
        : 'Nothing is wrong with the database servers.\n',
    );
  return faults.length === 0 ? 0 : 1;
}

async function withStore(connection: Connection, use: (store: Store) => Promise<void>): Promise<void> {
  const store = openStore({ ...connection, max: 1 }, () => {});
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

/** No fault of the servers, but what is easily forgotten, and whether what runs on them works. */
async function printState(store: Store): Promise<void> {
  for (const { id, name, tenantId } of await findOpenWallets(store))
    process.stdout.write(
      `Open: wallet ${id} (${cutText(name, 100)}) of tenant ${tenantId} may call every contract that a user of the tenant adds. Set its allowedCalls.\n`,
    );
  for (const line of describeHeartbeat(await readHeartbeat(store, Date.now())))
    process.stdout.write(`Heartbeat: ${line}\n`);
}

function describeHeartbeat({ isOk, faults, addresses, sentAt, sendFault }: HeartbeatState): string[] {
  if (!isOk) return faults.map(({ message }) => `stopped. ${message}`);
  if (addresses === 0)
    return ['all parts work; VIGIL_HEARTBEAT_URL is not set, so that no one notices when they stop.'];
  if (sendFault !== null) return [`all parts work, but ${sendFault}`];
  return [`all parts work${sentAt === null ? '' : `; last sent at ${new Date(sentAt).toISOString()}`}.`];
}

async function checkBundled(dataDir: string): Promise<number> {
  const release = await readEmbeddedRelease(dataDir);
  process.stdout.write(`The bundled database is used: one server, PostgreSQL ${release}.\n`);
  const missing = findMissingFixes(release);
  if (missing)
    process.stdout.write(
      `Warning: ${missing} Install PostgreSQL ${release.split('.')[0]} of your system: Vigil starts that if it is newer.\n`,
    );
  const running = await attachEmbedded(dataDir);
  if (running) await withStore(running.connection, printState);
  else process.stdout.write('It does not run, so its wallets are not looked at.\n');
  return 0;
}

function findWarnings(servers: readonly ServerState[], replicas: readonly ServerState[]): string[] {
  const reached = [...servers, ...replicas].filter((server) => server.fault === undefined);
  const primary = servers.find(takesWrites);
  return [
    ...(primary?.fault === undefined && primary?.isPrivileged
      ? [
          `Vigil works as ${primary.role}, a superuser or one that row security does not bind. Give it a role without these rights.`,
        ]
      : []),
    ...reached.flatMap(({ name, release }) => {
      const missing = findMissingFixes(release);
      return missing ? [`${name}: ${missing}`] : [];
    }),
  ];
}

function isWorker(server: ServerState): boolean {
  return server.fault === undefined && server.coordinator !== undefined;
}

function takesWrites(server: ServerState): boolean {
  return server.fault === undefined && !server.isStandby && !isWorker(server);
}

function describe(server: ServerState): string {
  if (server.fault !== undefined) return `${server.name}: not reached (${server.fault})`;
  const { name, release, timeline, connections, maxConnections, watchers, standbys } = server;
  const role = takesWrites(server)
    ? `takes writes, timeline ${timeline}, ${watchers} processes watch`
    : isWorker(server)
      ? 'worker of Citus'
      : 'standby';
  const followers = standbys.map(
    (candidate) =>
      `\n  followed by ${candidate.name}: ${candidate.state ?? 'state hidden'}, ${candidate.sync ?? 'unknown'}, ` +
      `${candidate.lagBytes ?? 'unknown'} bytes behind`,
  );
  return `${name}: PostgreSQL ${release}, ${role}, ${connections} of ${maxConnections} connections${followers.join('')}`;
}

function describeCluster({ version, workers }: Cluster, nodes: readonly ClusterNode[]): string {
  const shardsOf = new Map(workers.map(({ name, shards }) => [name, shards]));
  const lines = nodes.map((node) => {
    const shards = shardsOf.get(`${node.host}:${node.port}`);
    return `\n  ${nameNode(node)}: ${shards === undefined ? '' : `${shards} shards of alerts, `}${describeNode(node)}`;
  });
  return `Citus ${version} distributes the alerts over ${workers.length} workers${lines.join('')}`;
}

function describeNode({ state }: ClusterNode): string {
  if (!state) return 'not reached';
  const { connections, maxConnections, standbys, clockOffsetMs } = state;
  const followers = standbys.map(
    ({ name, state: sending, sync, lagBytes }) =>
      `followed by ${name} (${sending ?? 'state hidden'}, ${sync ?? 'unknown'}, ${lagBytes ?? 'unknown'} bytes behind)`,
  );
  const clock = clockOffsetMs === 0 ? [] : [`clock ${clockOffsetMs} ms off`];
  return [
    `${connections} of ${maxConnections} connections`,
    ...(followers.length > 0 ? followers : ['no standby']),
    ...clock,
  ].join(', ');
}

function findServerFaults(servers: readonly ServerState[], replicas: readonly ServerState[]): string[] {
  const faults: string[] = [];
  for (const { name, fault } of [...servers, ...replicas])
    if (fault !== undefined) faults.push(`${name} cannot be reached: ${fault}`);
  const reached = servers.filter((server) => server.fault === undefined);
  const primaries = reached.filter(takesWrites);
  if (primaries.length === 0) faults.push('No server of DATABASE_URL takes writes; promote a standby.');
  if (primaries.length > 1)
    faults.push(
      `${primaries.map(({ name }) => name).join(' and ')} take writes at once; Vigil uses the newest timeline. Stop the other.`,
    );
  for (const { name, isPooled } of primaries)
    if (isPooled) faults.push(`A pooler answers at ${name}; set DATABASE_DIRECT_URL to the server itself.`);
  for (const replica of replicas)
    if (replica.fault === undefined && !replica.isStandby)
      faults.push(`${replica.name} of DATABASE_REPLICA_URLS takes writes; it must follow the primary.`);
  return faults;
}

function findPrimaryFaults(servers: readonly ServerState[]): string[] {
  const faults: string[] = [];
  const primaries = servers.filter((server) => server.fault === undefined).filter(takesWrites);
  for (const { name, standbys, synchronousNames, connections, maxConnections } of primaries) {
    if (servers.filter((server) => !isWorker(server)).length > 1 && standbys.length === 0)
      faults.push(`No standby follows ${name}; its loss would lose everything since the last backup.`);
    if (standbys.length > 0 && synchronousNames === '')
      faults.push(
        `${name} replicates asynchronously: a failover loses the last changes. Set synchronous_standby_names, or synchronous_mode in Patroni.`,
      );
    if (synchronousNames !== '' && !standbys.some(({ sync }) => sync === 'sync' || sync === 'quorum'))
      faults.push(`No synchronous standby is connected to ${name}: every change waits for one.`);
    if (maxConnections - connections < connectionsPerProcess)
      faults.push(
        `${name} has ${maxConnections - connections} connections left; a process opens up to ${connectionsPerProcess}. Raise max_connections.`,
      );
  }
  return faults;
}
