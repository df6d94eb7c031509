import type { Finding, Position } from '../model/alert.ts';
import type { Block } from '../model/block.ts';
import type { Detection, Observation } from '../model/detection.ts';
import { timeOf } from './evaluateMatches.ts';
import type { Subscriber } from './subscriber.ts';

type Origin = Pick<
  Finding,
  | 'tenantId'
  | 'projectId'
  | 'contractId'
  | 'timestamp'
  | 'key'
  | 'eid'
  | 'txHash'
  | 'chainUid'
  | 'blockNumber'
  | 'blockHash'
  | 'position'
  | 'place'
  | 'actors'
  | 'initiators'
  | 'suspects'
>;

/** Position and time of a finding, and the key that identifies it. */
export function originOf(
  { kind, id, contract }: Pick<Subscriber, 'kind' | 'id' | 'contract'>,
  observation: Observation,
  detection: Detection,
): Origin {
  const block = 'block' in observation ? observation.block : undefined;
  const txHash =
    detection.transactionHash ?? ('transaction' in observation ? observation.transaction.hash : null);
  const position = placeOf(observation);
  const time = timeOf(observation);
  const parts = [
    txHash ?? (block ? `block ${block.number}` : `${observation.type} ${time}`),
    position,
    detection.part,
  ];
  const eid = parts.filter((part) => part !== undefined).join('-');
  return {
    tenantId: contract.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    timestamp: time,
    key: `${kind} ${id} ${block?.hash ?? ''} ${eid}`,
    eid,
    txHash,
    chainUid: contract.chainUid,
    blockNumber: block?.number ?? null,
    blockHash: block?.hash ?? null,
    ...(txHash !== null && {
      actors: actorsOf(contract.address, observation, detection, txHash),
      initiators: initiatorsOf(transactionOf(observation, txHash)),
    }),
    ...(block && txHash === null && { suspects: suspectsOf(block) }),
    ...positionOf(observation, txHash),
    ...(txHash !== null && { place: placeInTransaction(observation, detection) }),
  };
}

/** The receiver of burned tokens. */
const noOne = /^0x0+$/;

/** Bounds what is looked up for a finding. */
const maxActors = 5;

function actorsOf(
  watched: string,
  observation: Observation,
  { fields }: Detection,
  txHash: string | null,
): string[] {
  const transaction = transactionOf(observation, txHash);
  const recipients = Array.isArray(fields.recipients) ? fields.recipients : [];
  const actors = [transaction?.from, transaction?.to, ...recipients].filter(
    (actor) => typeof actor === 'string' && actor !== watched && !noOne.test(actor),
  );
  return [...new Set(actors as string[])].slice(0, maxActors);
}

function transactionOf(observation: Observation, txHash: string | null) {
  if ('transaction' in observation) return observation.transaction;
  if (!('block' in observation) || txHash === null) return undefined;
  return observation.block.transactions.find(({ hash }) => hash === txHash);
}

/** Only what the sender has signed: anyone can make a contract name another account. */
function initiatorsOf(transaction: ReturnType<typeof transactionOf>): string[] {
  return [transaction?.from, transaction?.to].filter((address) => typeof address === 'string');
}

const suspects = new WeakMap<Block, readonly string[]>();
const maxSuspects = 500;

/** The same list for every finding of the block. */
function suspectsOf(block: Block): readonly string[] {
  let senders = suspects.get(block);
  if (!senders) {
    senders = [...new Set(block.transactions.map(({ from }) => from))].slice(0, maxSuspects);
    suspects.set(block, senders);
  }
  return senders;
}

/** Tells what is observed in one transaction apart, the same at every look. */
function placeOf(observation: Observation): number | string | undefined {
  if (observation.type === 'transaction') return observation.transaction.part;
  if (observation.type === 'log') return observation.log.index;
  if (observation.type === 'transfer') return `transfer ${observation.position}`;
  if (observation.type === 'call') return `call ${observation.call.position}`;
  if (observation.type === 'change') return `change ${observation.change.position}`;
  if (observation.type === 'deployment') return `creation ${observation.position}`;
  return undefined;
}

/** As the one above, but for logs, which a block counts over all its transactions. */
function placeInTransaction(observation: Observation, { part }: Detection): string {
  const position =
    observation.type === 'log'
      ? `log ${observation.log.index - (observation.transaction.logs[0]?.index ?? observation.log.index)}`
      : placeOf(observation);
  return [position, part].filter((text) => text !== undefined).join('-');
}

function positionOf(observation: Observation, txHash: string | null): { position?: Position } {
  if (!('block' in observation) || txHash === null) return {};
  if (observation.type === 'log') {
    const { transaction, log } = observation;
    const first = transaction.logs[0]?.index ?? log.index;
    return { position: { transaction: transaction.index, log: log.index - first } };
  }
  const transactions =
    observation.type === 'transaction' ? [observation.transaction] : observation.block.transactions;
  const index = transactions.find(({ hash }) => hash === txHash)?.index;
  return index === undefined ? {} : { position: { transaction: index, log: -1 } };
}
