import type { ClusterNode, Nodes } from './readNodes.ts';

/** Of one process: its pools at the coordinator, each of whose sessions may hold a connection to each worker. */
export const connectionsPerProcess = 52;
/** Of one process to each worker, for searches that do not pass the coordinator. */
const directConnections = 23;
const maxClockOffsetMs = 1000;
/** What a standby replays in moments; more shows that it cannot follow. */
const maxLagBytes = 256 * 1024 * 1024;

/** What of the servers of a cluster would lose data, or stop or slow down Vigil. */
export function findNodeFaults({ nodes, connectionInfo }: Nodes): string[] {
  const processes = Math.max(1, ...nodes.map(({ state }) => state?.processes ?? 0));
  return [
    ...nodes.flatMap((node) => [
      ...findStandbyFaults(node),
      ...findSettingFaults(node),
      ...findConnectionFaults(node, processes),
    ]),
    ...findTimeLimitFaults(nodes, connectionInfo),
  ];
}

export function nameNode({ groupId, host, port }: ClusterNode): string {
  return groupId === 0 ? `coordinator ${host}:${port}` : `worker ${groupId} (${host}:${port})`;
}

function findStandbyFaults(node: ClusterNode): string[] {
  const { state } = node;
  if (!state) return [`Standbys of ${nameNode(node)} are unknown, because it cannot be reached.`];
  const { standbys, synchronousNames } = state;
  const lost = node.groupId === 0 ? 'everything' : 'the alerts of its tenants';
  if (standbys.length === 0)
    return [
      `No standby follows ${nameNode(node)}; its loss would lose ${lost} since the last backup, ` +
        'and stop them until it is restored.',
    ];
  const isSynchronous = standbys.some(({ sync }) => sync === 'sync' || sync === 'quorum');
  return [
    ...(synchronousNames === ''
      ? [
          `${nameNode(node)} replicates asynchronously: a failover loses the last changes. ` +
            'Set synchronous_standby_names.',
        ]
      : []),
    ...(synchronousNames !== '' && !isSynchronous
      ? [`No synchronous standby is connected to ${nameNode(node)}: every change waits for one.`]
      : []),
    ...standbys.flatMap(({ name, state: sending, lagBytes }) => [
      ...(sending !== null && sending !== 'streaming'
        ? [`Standby ${name} of ${nameNode(node)} is in state ${sending}; it does not have everything yet.`]
        : []),
      ...(lagBytes !== null && lagBytes > maxLagBytes
        ? [
            `Standby ${name} of ${nameNode(node)} is ${lagBytes} bytes behind; ` +
              'a failover would wait for them or lose them.',
          ]
        : []),
    ]),
  ];
}

function findSettingFaults(node: ClusterNode): string[] {
  const { plugins, clockOffsetMs = 0 } = node.state ?? {};
  const names = plugins?.split(',').map((name) => name.trim().replaceAll(/^["']|["']$/g, ''));
  const missing = names ? ['pgoutput', 'citus'].filter((name) => !names.includes(name)) : [];
  return [
    ...(missing.length > 0
      ? [
          `output_plugin_libraries of ${nameNode(node)} lacks ${missing.join(' and ')}, so shards cannot be ` +
            `moved or split while they are written. Set it to 'pgoutput', 'citus'.`,
        ]
      : []),
    ...(Math.abs(clockOffsetMs) > maxClockOffsetMs
      ? [
          `The clock of ${nameNode(node)} is ${Math.abs(clockOffsetMs)} ms ` +
            `${clockOffsetMs < 0 ? 'behind' : 'ahead of'} this machine's. Synchronise both.`,
        ]
      : []),
  ];
}

function findConnectionFaults(node: ClusterNode, processes: number): string[] {
  const { state } = node;
  if (!state) return [];
  const each = connectionsPerProcess + (node.groupId === 0 ? 0 : directConnections);
  const needed = processes * each;
  if (state.maxConnections >= needed) return [];
  const count = processes === 1 ? 'one process of Vigil' : `${processes} processes of Vigil`;
  return [
    `${nameNode(node)} allows ${state.maxConnections} connections; ${count} may open ${needed}. Raise max_connections.`,
  ];
}

/** Only addresses over a network have machines that can vanish between them. */
function findTimeLimitFaults(nodes: readonly ClusterNode[], connectionInfo: string | undefined): string[] {
  const isRemote = nodes.some(({ host }) => !host.startsWith('/'));
  if (!isRemote || connectionInfo === undefined || /\btcp_user_timeout\b/.test(connectionInfo)) return [];
  return [
    'citus.node_conninfo has no tcp_user_timeout, so the coordinator waits minutes for a machine that vanished. ' +
      "Add 'keepalives_idle=5 keepalives_interval=2 keepalives_count=3 tcp_user_timeout=5000'.",
  ];
}
