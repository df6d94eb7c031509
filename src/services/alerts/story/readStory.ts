import { findChain } from '../../../chains/chains.ts';
import { native } from '../../../evidence/amounts.ts';
import { settleWithin } from '../../../lib/withTimeLimit.ts';
import {
  findFiredIntents,
  findIncidentChanges,
  findIncidentComments,
  findIncidentContracts,
  findIncidentDeliveries,
  findPreparedActions,
  findWorstAlerts,
} from '../../../store/alerts/incidentStory.ts';
import type { IncidentKeyRow } from '../../../store/alerts/incidentTable.ts';
import { nameAddresses } from '../../../store/labels/nameAddresses.ts';
import { findFunding } from '../../../store/watch/funding.ts';
import type { Call } from '../../call.ts';
import { readIncident } from '../changeIncident.ts';
import { type KnownParty, partiesOf } from '../partiesOf.ts';
import { readTokens, type TokenNaming } from '../readTokens.ts';
import type { TransactionDigest } from './digestTransaction.ts';
import { assetsThatMatter, createUnchanged, drawFlows, unknownParty } from './drawFlows.ts';
import { findAttackers } from './findAttackers.ts';
import { foldAlerts } from './foldAlerts.ts';
import { judgeProgress } from './judgeProgress.ts';
import { readDigests } from './readDigests.ts';
import { readLoss } from './readLoss.ts';
import { isPrevented, type StoryAlert, storyAlertNames } from './storyAlert.ts';
import { type IncidentLosses, type LossAlert, sumLosses } from './sumLosses.ts';
import { toTimeline } from './toTimeline.ts';
import { showLosses, writeHeadline } from './writeHeadline.ts';

/** Bounds of one story: the worst alerts, and the transactions of which nodes are asked what they moved. */
const maxAlerts = 1000;
const maxTransactions = 8;
const maxDeliveries = 500;
const maxIntents = 100;
const maxTexts = 100;
const maxActions = 50;
const maxAddresses = 300;
const maxTokens = 20;
const tokensPatienceMs = 3000;

/** An incident as people understand it: what was lost, by whom, whether it goes on, where the money went, and what happened when. */
export async function readStory(call: Call, uid: string): Promise<IncidentStory> {
  return (await gatherStory(call, uid)).story;
}

export type IncidentStory = Awaited<ReturnType<typeof gatherStory>>['story'];

/** The story with the alerts from which it is made. */
export async function gatherStory(call: Call, uid: string) {
  const incident = await readIncident(call, uid);
  const { db } = call;
  const { tenantId } = incident;
  const alerts = await findWorstAlerts<StoryAlert>(db, incident, storyAlertNames, maxAlerts);
  const alertUids = alerts.map((alert) => alert.uid);
  const contractIds = [...new Set(alerts.map(({ contractId }) => contractId))];
  const [contractList, deliveries, intents, changes, comments] = await Promise.all([
    findIncidentContracts(db, incident, contractIds),
    findIncidentDeliveries(db, incident, maxDeliveries),
    findFiredIntents(db, tenantId, alertUids, maxIntents),
    findIncidentChanges(db, incident, maxTexts),
    findIncidentComments(db, tenantId, alertUids, maxTexts),
  ]);
  const contracts = new Map(contractList.map((contract) => [contract.id, contract]));

  const losing = alerts.flatMap((alert): LossAlert[] => {
    const loss = readLoss(alert, contracts.get(alert.contractId));
    return loss ? [{ alert, loss }] : [];
  });
  const digests = await digestsOf(call, alerts, losing);
  const isUnchanged = createUnchanged(digests, contracts);
  // A transaction that failed has taken nothing, whatever was seen before its block.
  const isUndone = (alert: StoryAlert) =>
    isPrevented(alert) || digests.get(alert.txHash ?? '')?.isReverted === true;
  const open = losing.filter(({ alert }) => alert.status !== 'RETRACTED' && !isUndone(alert));
  const standing = open.filter(({ alert }) => alert.finality !== 'PENDING');
  const pending = open.filter(({ alert }) => alert.finality === 'PENDING');
  const undone = pending.length > 0 ? pending : losing.filter(({ alert }) => isUndone(alert));
  const lost = sumLosses(standing, isUnchanged);
  const prevented = sumLosses(undone);
  const progress = judgeProgress(String(incident.status), alerts, losing, intents, call.now, isUndone);
  const isHarmless = progress.state === 'PREVENTED' || standing.length === 0;
  const chosen = isHarmless ? prevented : lost;
  const chosenAlerts = isHarmless ? undone : standing;

  const addresses = new Set(contractList.map(({ address }) => address));
  const { accounts, side } = findAttackers(alerts, chosenAlerts, digests, (address) =>
    addresses.has(address),
  );
  const chainUid = typeof incident.chainUid === 'string' ? incident.chainUid : null;
  const assets = assetsThatMatter([...lost.losses, ...prevented.losses], alerts, contractList);
  const named = await nameParties(call, chainUid, [
    ...accounts,
    ...side,
    ...addresses,
    ...assets,
    ...chosen.recipients,
    ...[...digests.values()].flatMap(({ from, to, created }) => [from, to ?? '', ...created]),
    ...[...digests.values()].flatMap(({ moves }) =>
      moves.filter(({ asset }) => assets.has(asset)).flatMap(({ from, to }) => [from, to]),
    ),
  ]);
  const tokens = await nameTokens(call, chainUid, digests, assets);
  const drawn = isHarmless ? [] : [...digests.values()].filter(({ isReverted }) => !isReverted);
  const flows = drawFlows({
    digests: drawn,
    reported: chosenAlerts.filter(({ alert }) => isHarmless || !digests.has(alert.txHash ?? '')),
    losses: chosen.losses,
    usd: chosen.usd,
    contracts,
    parties: named,
    attackers: side,
    assets,
    tokens,
  });
  const funding = chainUid === null ? [] : [...(await findFunding(db, chainUid, [...side])).values()];
  const timeline = toTimeline({
    folds: foldAlerts(alerts),
    losing: standing,
    digests,
    funding,
    attackers: side,
    deliveries,
    intents,
    changes,
    // The note of an acknowledgement is a comment as well.
    comments: comments.filter(
      ({ at, text }) => !changes.some((change) => change.at === at && change.text === text),
    ),
    alerts,
  });
  const steps = timeline.steps.flatMap(({ from, to }) => [from, to]);
  const parties = await nameParties(call, chainUid, [
    ...named.keys(),
    ...steps.flatMap((address) => address ?? []),
    ...flows.nodes.map(({ address }) => address),
  ]);
  const nameOf = (address: string) => parties.get(address)?.name ?? shorten(address);
  const [strongest] = alerts;
  const transactions = new Set(chosenAlerts.flatMap(({ alert }) => alert.txHash ?? [])).size;
  const story = {
    uid: incident.uid,
    incident,
    headline: writeHeadline({
      losses: chosen,
      progress,
      contractName: (id) => contracts.get(id)?.name ?? `contract #${id}`,
      by: accounts.map(nameOf),
      transactions,
      strongest: strongest ?? { name: String(incident.name), severity: 'CRITICAL' },
    }),
    progress,
    lost: toShownLosses(lost),
    prevented: toShownLosses(prevented),
    by: accounts.slice(0, 5).map((address) => ({ address, ...partyOf(parties, address) })),
    flows,
    timeline: timeline.steps,
    contracts: contractList.map(({ id, name, address, chainUid: uidOfChain, projectId }) => ({
      id,
      name,
      address,
      chainUid: uidOfChain,
      projectId,
      alerts: alerts.filter(({ contractId }) => contractId === id).length,
      losses: chosen.losses.filter(({ contractId }) => contractId === id),
    })),
    transactions: transactionsOf(alerts),
    actions: await findPreparedActions(db, tenantId, contractIds, maxActions),
    parties: [...parties.values()].filter(({ address }) => address !== unknownParty),
    leftOut: {
      alerts: Math.max(0, countOf(incident) - alerts.filter(({ status }) => status !== 'RETRACTED').length),
      steps: timeline.leftOut,
      flows: flows.leftOut + drawn.reduce((sum, { leftOut }) => sum + leftOut, 0),
      transactions: untold(alerts, digests),
    },
  };
  return { incident, alerts, story };
}

function countOf({ alerts }: IncidentKeyRow): number {
  return typeof alerts === 'number' ? alerts : 0;
}

/** The transactions of losses first, then those of the worst alerts. */
async function digestsOf(
  call: Call,
  alerts: readonly StoryAlert[],
  losing: readonly LossAlert[],
): Promise<Map<string, TransactionDigest>> {
  const wanted = new Map<string, { chainUid: string; txHash: string; blockNumber: number | null }>();
  for (const { status, finality, chainUid, txHash, blockNumber } of [
    ...losing.map(({ alert }) => alert),
    ...alerts,
  ]) {
    const isThere = status !== 'RETRACTED' && finality !== 'PENDING';
    if (!isThere || chainUid === null || txHash === null || wanted.size >= maxTransactions) continue;
    wanted.set(txHash, { chainUid, txHash, blockNumber });
  }
  const hashes = [...wanted.keys()];
  const digests = await readDigests(call, [...wanted.values()]);
  return new Map(
    hashes.flatMap((hash, index): [string, TransactionDigest][] => {
      const digest = digests[index];
      return digest ? [[hash, digest]] : [];
    }),
  );
}

async function nameParties(
  call: Call,
  chainUid: string | null,
  addresses: readonly string[],
): Promise<Map<string, KnownParty>> {
  const wanted = [...new Set(addresses)].filter((address) => address !== '' && address !== native);
  const named = await nameAddresses(call.db, call.scope, chainUid, wanted.slice(0, maxAddresses));
  return new Map(partiesOf(named).map((party) => [party.address, party]));
}

/** Symbols and decimals; a node that does not answer leaves smallest units of that token out of the picture. */
async function nameTokens(
  { services }: Call,
  chainUid: string | null,
  digests: ReadonlyMap<string, TransactionDigest>,
  assets: Set<string>,
): Promise<Map<string, TokenNaming>> {
  const chain = chainUid === null ? undefined : findChain(chainUid);
  if (!chain) return new Map();
  const { symbol, decimals } = chain.currency;
  const names = new Map<string, TokenNaming>([[native, { symbol, decimals, isFungible: true }]]);
  const client = services.chains.client(chain.uid);
  const newest = [...digests.values()].at(-1);
  const moved = new Set([...digests.values()].flatMap(({ moves }) => moves.map(({ asset }) => asset)));
  const tokens = [...assets].filter((asset) => asset !== native && moved.has(asset)).slice(0, maxTokens);
  if (client && newest && tokens.length > 0) {
    const read = readTokens(services, client, newest.block, tokens).catch(() => undefined);
    const found = await settleWithin(tokensPatienceMs, read, () => undefined);
    for (const [token, naming] of found ?? []) names.set(token, naming);
  }
  for (const asset of assets) if (!names.has(asset)) assets.delete(asset);
  return names;
}

function partyOf(parties: ReadonlyMap<string, KnownParty>, address: string) {
  const party = parties.get(address);
  return { name: party?.name ?? null, tags: party?.tags.slice(0, 10) ?? [] };
}

function toShownLosses(losses: IncidentLosses) {
  return { text: showLosses(losses), usd: losses.usd, losses: losses.losses.slice(0, maxListed) };
}

const maxListed = 50;

/** Each transaction once, with how many alerts it has; the worst first. */
function transactionsOf(alerts: readonly StoryAlert[]) {
  const rows = new Map<
    string,
    { chainUid: string | null; txHash: string; blockNumber: number | null; at: number; alerts: number }
  >();
  for (const { chainUid, txHash, blockNumber, timestamp, kind } of alerts) {
    if (txHash === null || kind === 'action') continue;
    const row = rows.get(txHash) ?? { chainUid, txHash, blockNumber, at: timestamp, alerts: 0 };
    row.alerts += 1;
    rows.set(txHash, row);
  }
  return [...rows.values()].slice(0, 100);
}

/** Transactions of which the picture knows nothing but the evidence. */
function untold(alerts: readonly StoryAlert[], digests: ReadonlyMap<string, TransactionDigest>): number {
  const hashes = new Set(
    alerts.flatMap(({ txHash, kind, status }) =>
      txHash !== null && kind !== 'action' && status !== 'RETRACTED' ? [txHash] : [],
    ),
  );
  return [...hashes].filter((hash) => !digests.has(hash)).length;
}

function shorten(address: string): string {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}
