import { harmless } from '../lib/harmless.ts';
import { zip } from '../lib/zip.ts';
import type {
  ContractFacts,
  Detection,
  EvaluationResult,
  Funding,
  Label,
  Observation,
  Reader,
} from '../model/detection.ts';
import { framePath } from '../model/frames.ts';

/** Members that it adds to evidence. */
export const partyEvidence = ['labels', 'fundedBy', 'fundingHops', 'fundingTransaction', 'path'];

/**
 * Adds the labels of its addresses to the message of a finding, and the source of the sender's first money, as far as
 * known. Read only once something is found.
 */
export function nameParties<State>(
  result: EvaluationResult<State>,
  observation: Observation,
  { address: watched, name, own: watchedContracts = {} }: Pick<ContractFacts, 'address' | 'name' | 'own'>,
  read: Reader,
): EvaluationResult<State> {
  const { detections } = result;
  if (!detections || detections.length === 0) return result;
  const asked = detections.map((detection) => ({
    found: detection,
    addresses: addressesIn(detection.message, watched),
    path: pathOf(detection, observation),
    sender: senderOf(detection, observation),
  }));
  const answers = read.all(
    asked.map(
      ({ addresses, path, sender }) =>
        () =>
          read.all([
            () => read.all(addresses.map((address) => () => bestOf(read.labels(address)))),
            () => read.all(path.map((address) => () => bestOf(read.labels(address)))),
            () => (sender === undefined || sender === watched ? null : read.funding(sender)),
          ]),
    ),
  );
  return {
    ...result,
    detections: zip(asked, answers).map(
      ([{ found: detection, addresses, path, sender }, [labels, named, funding]]) =>
        withFunding(
          withPath(
            withOwn(withLabels(detection, addresses, labels), addresses, watchedContracts),
            path.map((address, index) =>
              address === watched ? name : (watchedContracts[address]?.name ?? named[index]?.name ?? address),
            ),
          ),
          sender,
          funding,
        ),
    ),
  };
}

/** Longer ways are shown by their beginning and end. */
const maxSteps = 8;

/** The calls within the transaction, down to the one of the finding. */
function pathOf({ frame }: Detection, observation: Observation): string[] {
  if (!('frames' in observation) || !observation.frames) return [];
  const position =
    frame ??
    (observation.type === 'call'
      ? observation.call.position
      : observation.type === 'transfer'
        ? observation.position
        : undefined);
  if (position === undefined) return [];
  const way = framePath(observation.frames, position).map(({ to }) => to);
  const shownWay = way.length > maxSteps ? [...way.slice(0, maxSteps / 2), ...way.slice(-maxSteps / 2)] : way;
  return [observation.transaction.from, ...shownWay];
}

/** As `sender → router → vault.withdraw`. */
function withPath(detection: Detection, path: readonly string[]): Detection {
  if (path.length === 0) return detection;
  const called = detection.fields.function ?? detection.fields.name;
  const end = typeof called === 'string' ? `.${called}` : '';
  const shown = `${path.map((step) => harmless(step, 60)).join(' → ')}${end}`;
  return {
    ...detection,
    message: `${detection.message} Way: ${shown}.`,
    fields: { ...detection.fields, path: shown },
  };
}

/** A message rarely has more, and each costs a look. */
const maxAddresses = 6;

function addressesIn(message: string, watched: string): string[] {
  const matches = message.matchAll(/\b(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})\b/g);
  const addresses = new Set(
    Array.from(matches, ([address]) => (address.startsWith('0x') ? address.toLowerCase() : address)),
  );
  addresses.delete(watched);
  return [...addresses].slice(0, maxAddresses);
}

function senderOf({ transactionHash, fields }: Detection, observation: Observation): string | undefined {
  // The detector has looked at it itself.
  if ('fundedBy' in fields || !('block' in observation)) return undefined;
  if (
    'transaction' in observation &&
    (transactionHash ?? observation.transaction.hash) === observation.transaction.hash
  )
    return observation.transaction.from;
  return observation.block.transactions.find(({ hash }) => hash === transactionHash)?.from;
}

function bestOf(labels: readonly Label[]): Label | undefined {
  // The tenant's own words first, then the gravest.
  return labels.toSorted(
    (a, b) => Number(a.tenantId === null) - Number(b.tenantId === null) || b.score - a.score,
  )[0];
}

function withLabels(
  detection: Detection,
  addresses: readonly string[],
  labels: readonly (Label | undefined)[],
): Detection {
  let { message } = detection;
  const parties: { address: string; name: string | null; tags: readonly string[]; score: number }[] = [];
  for (const [address, label] of zip(addresses, labels)) {
    if (!label) continue;
    const { name, tags, score } = label;
    const all = [...(name ? [harmless(name, 60)] : []), ...tags.slice(0, 5).map((tag) => harmless(tag, 40))];
    // Some detectors say it themselves.
    const words = all.filter((word) => !detection.message.includes(word));
    parties.push({ address, name, tags, score });
    if (words.length > 0) message = message.replace(new RegExp(address, 'i'), `$& (${words.join(', ')})`);
  }
  return parties.length === 0
    ? detection
    : { ...detection, message, fields: { ...detection.fields, labels: parties } };
}

/** The tenant's own contracts by their names. */
function withOwn(
  detection: Detection,
  addresses: readonly string[],
  watchedContracts: NonNullable<ContractFacts['own']>,
): Detection {
  let { message } = detection;
  for (const address of addresses) {
    const name = watchedContracts[address] && harmless(watchedContracts[address].name, 60);
    if (name && !detection.message.includes(name))
      message = message.replace(new RegExp(address, 'i'), `$& (your ${name})`);
  }
  return message === detection.message ? detection : { ...detection, message };
}

function withFunding(detection: Detection, sender: string | undefined, funding: Funding | null): Detection {
  if (!funding) return detection;
  const { source, tags, hops, transactionHash } = funding;
  const way = hops === 1 ? '' : `, ${hops - 1} account${hops === 2 ? '' : 's'} in between`;
  return {
    ...detection,
    message: `${detection.message} The sender ${sender} got its first money from ${source} (${tags.map((tag) => harmless(tag, 40)).join(', ')})${way}.`,
    fields: { ...detection.fields, fundedBy: source, fundingHops: hops, fundingTransaction: transactionHash },
  };
}
