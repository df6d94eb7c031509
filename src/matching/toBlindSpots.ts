import { groupBy } from '../lib/groupBy.ts';
import { blindSpot, type Finding, severityOf } from '../model/alert.ts';
import type { Block, Transaction } from '../model/block.ts';
import type { Subscriber } from './subscriber.ts';

/** Detectors that a message names. */
const maxNamed = 10;

/** An alert for each watched contract that a transaction touches whose trace could not be had; the same each time. */
export function toBlindSpots(block: Block, transaction: Transaction, blind: Iterable<Subscriber>): Finding[] {
  return Array.from(groupBy([...blind], ({ contract }) => contract.id).values(), (subscribers) =>
    toBlindSpot(block, transaction, subscribers),
  );
}

function toBlindSpot(
  block: Block,
  transaction: Transaction,
  subscribers: [Subscriber, ...Subscriber[]],
): Finding {
  const { hash, from, gas, index } = transaction;
  const [strongest] = subscribers.toSorted(
    (a, b) => severityOf[b.severity] - severityOf[a.severity] || a.kind.localeCompare(b.kind) || a.id - b.id,
  ) as typeof subscribers;
  const { contract, severity, kind, id } = strongest;
  const detectors = subscribers.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b));
  const named = detectors.slice(0, maxNamed).join(', ');
  const more = detectors.length > maxNamed ? ` and ${detectors.length - maxNamed} more` : '';
  const limit = gas === undefined ? '' : ` with a gas limit of ${gas}`;
  return {
    tenantId: contract.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    kind: 'detector',
    group: 'SECURITY',
    severity,
    timestamp: block.timestamp,
    key: `${blindSpot} ${contract.id} ${block.hash} ${hash}`,
    eid: `${blindSpot}-${contract.id}-${hash}`,
    name: 'Blind spot',
    message: `${contract.name} is touched by transaction ${hash} of ${from}${limit}, whose trace is too large or cannot be had from any node. What contracts do within it was not seen by ${named}${more}.`,
    cause: `${blindSpot} ${contract.id}`,
    meta: { sender: from, ...(gas !== undefined && { gas: String(gas) }), detectors },
    tags: ['vigil', blindSpot],
    txHash: hash,
    chainUid: contract.chainUid,
    blockNumber: block.number,
    blockHash: block.hash,
    position: { transaction: index, log: -1 },
    detectorSchemaName: blindSpot,
    nextStep: 'Look at the transaction with a tool of your own, and at what the contract holds since.',
    ...(kind === 'detector' && { detectorId: id }),
  };
}
