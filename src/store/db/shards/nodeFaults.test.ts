import { expect, it } from 'vitest';
import { findNodeFaults } from './nodeFaults.ts';
import type { ClusterNode } from './readNodes.ts';

const follower = { name: 'b', state: 'streaming', sync: 'sync', lagBytes: 0 };

function node(groupId: number, state: Partial<NonNullable<ClusterNode['state']>> = {}): ClusterNode {
  const well = {
    standbys: [follower],
    synchronousNames: 'b',
    connections: 10,
    maxConnections: 400,
    plugins: "'pgoutput', 'citus'",
    processes: 2,
    clockMs: 0,
    clockOffsetMs: 0,
  };
  return { groupId, host: `10.0.0.${groupId}`, port: 5432, state: { ...well, ...state } };
}

const connectionInfo = 'sslmode=require tcp_user_timeout=5000';
const faultsOf = (...nodes: ClusterNode[]) => findNodeFaults({ nodes, connectionInfo });

it('finds nothing where each server has a synchronous standby and room for what Vigil opens', () => {
  expect(faultsOf(node(0), node(1), node(2, { plugins: null }))).toEqual([]);
});

it.each<[string, Partial<NonNullable<ClusterNode['state']>>, string]>([
  [
    'no standby',
    { standbys: [] },
    'No standby follows worker 1 (10.0.0.1:5432); its loss would lose the alerts',
  ],
  ['no synchronous replication', { synchronousNames: '' }, 'replicates asynchronously: a failover loses'],
  ['no synchronous standby', { standbys: [{ ...follower, sync: 'async' }] }, 'every change waits for one'],
  ['a standby that catches up', { standbys: [{ ...follower, state: 'catchup' }] }, 'is in state catchup'],
  ['a standby far behind', { standbys: [{ ...follower, lagBytes: 1e9 }] }, 'is 1000000000 bytes behind'],
  ['plugins without Citus', { plugins: 'pgoutput' }, 'lacks citus, so shards cannot be moved'],
  [
    'too few connections',
    { maxConnections: 100 },
    'allows 100 connections; 2 processes of Vigil may open 150',
  ],
  ['a clock that is behind', { clockOffsetMs: -2500 }, "is 2500 ms behind this machine's"],
])('names a worker with %s', (_, state, words) => {
  expect(faultsOf(node(0), node(1, state))).toEqual([expect.stringContaining(words)]);
});

it('says that the loss of the coordinator would lose everything', () => {
  expect(faultsOf(node(0, { standbys: [] }), node(1))).toEqual([
    expect.stringContaining('No standby follows coordinator 10.0.0.0:5432; its loss would lose everything'),
  ]);
});

it('does not call a worker well whose state it cannot see', () => {
  expect(faultsOf(node(0), { groupId: 1, host: '10.0.0.1', port: 5432 })).toEqual([
    'Standbys of worker 1 (10.0.0.1:5432) are unknown, because it cannot be reached.',
  ]);
});

it('wants a time limit for machines that vanish', () => {
  const faults = findNodeFaults({ nodes: [node(0), node(1)], connectionInfo: 'sslmode=require' });
  expect(faults).toEqual([expect.stringContaining('has no tcp_user_timeout')]);
});
