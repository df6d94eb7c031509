import { alertUid } from '../alerts/alertUid.ts';
import { limitRate } from '../alerts/limitRate.ts';
import { type AlertHook, prepareRaise, raiseAlerts } from '../alerts/raiseAlerts.ts';
import { type RetractionHook, retractPending } from '../alerts/retractBlocks.ts';
import { yieldToEventLoop } from '../lib/eventLoop.ts';
import { membersOf } from '../lib/isRecord.ts';
import { messageOf } from '../lib/messageOf.ts';
import { alertRateKind, type Finding, isShadow, retractionReasons } from '../model/alert.ts';
import { createSubject } from '../query/lucene/createSubject.ts';
import { type AlertEventRow, readAlertEvents } from '../store/alerts/alertEvents.ts';
import {
  changeCrossings,
  deleteHitsOf,
  findHitsOf,
  insertCrossings,
  insertHits,
  type RateCrossing,
  type RateHit,
  readCrossings,
  readHits,
} from '../store/alerts/rateHits.ts';
import { holdsRateLane, type RateLane, releaseRateLane } from '../store/alerts/rateLanes.ts';
import { ensureRateRules, findRateDetectors } from '../store/alerts/rateRules.ts';
import type { Store } from '../store/db/db.ts';
import { compileRule, isInScope, type Rule, readMember, shownValue, toKey } from './compileRule.ts';
import type { Episode } from './findEpisodes.ts';
import { judgeGroup } from './judgeGroup.ts';

export type CountingOptions = {
  store: Store;
  alertHooks: readonly AlertHook[];
  retractionHooks: readonly RetractionHook[];
  now: () => number;
  /** Called for a detector that cannot count. */
  onFault: (fault: { detectorId: number; message: string }) => void;
};

/** Events of one transaction, and their length as JSON. */
const pageSize = 256;
const pageLength = 1_000_000;
/** Matching ends after this time, also when events remain, so that other tenants get their turn. */
const sliceMs = 200;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Delay after its time with which an alert is still counted. */
const latenessMs = dayMs;
/** So long it is known what was reported. */
const keepReportedMs = 30 * dayMs;
const maxListed = 20;

/**
 * Counts the next events of a tenant. Counts, alerts and position are one transaction, which only the lane's holder
 * commits, so each crossing is one alert. Returns the number of counted events, and the alerts.
 */
export async function countLane(
  options: CountingOptions,
  lane: RateLane,
): Promise<{ events: number; raised: Finding[] }> {
  const { store, now } = options;
  const { tenantId } = lane;
  const rules = await readRules(options, tenantId);
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const events = await readAlertEvents(store, scope, { after: lane.position }, pageSize, pageLength);
  const counted = await countEvents(rules, events, now());
  if (counted.last === undefined) {
    await releaseRateLane(store, lane);
    return { events: 0, raised: [] };
  }
  const changes = await judge(options, tenantId, rules, counted);
  const position = counted.last;
  await prepareRaise(
    store,
    changes.fresh.map(({ finding }) => finding),
  );
  const raised = await store.transaction(async (tx) => {
    if (!(await holdsRateLane(tx, lane))) return [];
    await deleteHitsOf(tx, tenantId, [...counted.removed.keys()]);
    await insertHits(
      tx,
      tenantId,
      counted.added.map(({ hit, rule }) => ({
        ...hit,
        expiresAt: Math.max(hit.timestamp, now()) + rule.windowMs + latenessMs,
      })),
    );
    await changeCrossings(
      tx,
      tenantId,
      changes.changed.map((crossing) => ({ ...crossing, expiresAt: crossing.until + keepReportedMs })),
      changes.gone.map(({ id }) => id),
    );
    const gone = changes.gone.flatMap(({ alertUid: uid, alertAt: timestamp }) =>
      uid === null || timestamp === null ? [] : [{ tenantId, uid, timestamp }],
    );
    if (gone.length > 0)
      await retractPending(tx, { alerts: gone, reason: counted.reason, now: now() }, options.retractionHooks);
    await insertCrossings(
      tx,
      tenantId,
      [...changes.fresh, ...changes.held].map((crossing) => ({
        ...crossing,
        expiresAt: Math.max(crossing.until, now()) + keepReportedMs,
      })),
    );
    const findings = changes.fresh.map(({ finding }) => finding);
    const limited = await limitRate(tx, findings, now());
    const alerts = await raiseAlerts(tx, limited.findings, options.alertHooks);
    await limited.count();
    await releaseRateLane(tx, { ...lane, position });
    return alerts.map(({ finding }) => finding);
  });
  return { events: counted.events, raised };
}

type KnownRule = Rule & { id: number; since: number };

async function readRules({ store, now, onFault }: CountingOptions, tenantId: number): Promise<KnownRule[]> {
  const compiled: Rule[] = [];
  for (const detector of await findRateDetectors(store, tenantId, alertRateKind))
    try {
      const rule = compileRule(detector, now());
      if ('fault' in rule) onFault({ detectorId: detector.id, message: rule.fault });
      else compiled.push(rule);
    } catch (error) {
      onFault({ detectorId: detector.id, message: messageOf(error) });
    }
  const ruleRows = await ensureRateRules(
    store,
    tenantId,
    compiled.map(({ detector, settings }) => ({
      detectorId: detector.id,
      settings,
      since: detector.updatedAt,
    })),
  );
  return compiled.map((rule, index) => ({ ...rule, ...ruleRows[index]! }));
}

type Added = { rule: KnownRule; hit: RateHit; group: string | undefined; isBackfilled: boolean };

type CountedEvents = {
  added: Added[];
  /** Alerts that count no more, with their times. */
  removed: Map<string, number>;
  reason: (typeof retractionReasons)[number];
  events: number;
  /** The last event that was counted; undefined: there is none. */
  last: string | undefined;
};

async function countEvents(
  rules: readonly KnownRule[],
  events: readonly AlertEventRow[],
  now: number,
): Promise<CountedEvents> {
  const counted: CountedEvents = {
    added: [],
    removed: new Map(),
    reason: 'REORGANISED',
    events: 0,
    last: undefined,
  };
  const hits = new Map<string, Added[]>();
  const startedAt = performance.now();
  for (const event of events) {
    if (counted.events > 0 && performance.now() - startedAt > sliceMs) break;
    await yieldToEventLoop();
    counted.events++;
    counted.last = event.id;
    if (event.alert === null || (event.type !== 'raised' && event.type !== 'retracted')) continue;
    const alert = membersOf(JSON.parse(event.alert));
    if (event.type === 'retracted') {
      hits.delete(event.uid);
      counted.removed.set(event.uid, Number(alert.timestamp));
      counted.reason = retractionReasons.find((reason) => reason === alert.retractionReason) ?? 'REORGANISED';
    } else if (isCountable(alert)) {
      // A restored one: what was stored of it stays.
      counted.removed.delete(event.uid);
      hits.set(event.uid, await hitsOf(rules, event, alert));
    }
  }
  counted.added = [...hits.values()].flat().filter(({ hit }) => hit.timestamp <= now + hourMs);
  return counted;
}

/** Alerts of this kind would count themselves, and those on trial change nothing. */
function isCountable(alert: Readonly<Record<string, unknown>>): boolean {
  const tags = Array.isArray(alert.tags) ? alert.tags.map(String) : [];
  return alert.detectorSchemaName !== alertRateKind && !isShadow({ tags });
}

/** So that a large alert holds no one else up. */
const largeLength = 50_000;

async function hitsOf(
  rules: readonly KnownRule[],
  event: AlertEventRow,
  alert: Readonly<Record<string, unknown>>,
): Promise<Added[]> {
  const added: Added[] = [];
  const subject = createSubject(alert);
  const isLarge = (event.alert?.length ?? 0) > largeLength;
  for (const rule of rules) {
    if (event.at < rule.since || !isInScope(rule, alert)) continue;
    await yieldToEventLoop();
    const { matcher, config } = rule;
    const isMatch = isLarge
      ? await matcher.matchesPaced(subject, yieldToEventLoop)
      : matcher.matches(subject);
    if (!isMatch) continue;
    const groups = config.groupBy === undefined ? [undefined] : readMember(alert, config.groupBy);
    const values = config.countDistinct === undefined ? [undefined] : readMember(alert, config.countDistinct);
    for (const group of groups)
      for (const value of values)
        added.push({
          rule,
          group,
          isBackfilled: alert.backfilled === true,
          hit: {
            ruleId: rule.id,
            groupKey: toKey(group === undefined ? 'all' : `= ${group}`),
            timestamp: Number(alert.timestamp),
            alertUid: event.uid,
            valueKey: value === undefined ? event.uid : toKey(value),
            value: value === undefined ? null : shownValue(value),
          },
        });
  }
  return added;
}

type Crossing = Omit<RateCrossing, 'id'>;
type Changes = {
  fresh: (Crossing & { finding: Finding })[];
  /** Within the cooldown of one before. */
  held: Crossing[];
  changed: RateCrossing[];
  gone: RateCrossing[];
};

type Group = {
  rule: KnownRule;
  groupKey: string;
  group: string | undefined;
  added: Added[];
  from: number;
  to: number;
  isReduced: boolean;
};

/** Computes the changes by the counted events from the stored state; writes nothing. */
async function judge(
  { store }: CountingOptions,
  tenantId: number,
  rules: readonly KnownRule[],
  counted: CountedEvents,
): Promise<Changes> {
  const changes: Changes = { fresh: [], held: [], changed: [], gone: [] };
  const removed = await findHitsOf(store, tenantId, [...counted.removed.keys()]);
  const groups = groupChanges(rules, counted.added, removed);
  const cooldownOf = ({ subscriber }: KnownRule) => subscriber.cooldownMs;
  const crossings = await readCrossings(
    store,
    tenantId,
    groups.map(({ rule, groupKey, from, to }) => ({
      ruleId: rule.id,
      groupKey,
      from: from - rule.windowMs - cooldownOf(rule),
      to: to + rule.windowMs,
    })),
  );
  const reportedIn = groupByKey(crossings);
  // A reported episode can be judged again only with all of its hits.
  for (const group of groups.filter(({ isReduced }) => isReduced))
    for (const { from, until } of reportedIn.get(keyOf(group)) ?? []) {
      group.from = Math.min(group.from, from);
      group.to = Math.max(group.to, until);
    }
  const stored = await readHits(
    store,
    tenantId,
    groups.map(({ rule, groupKey, from, to, isReduced }) => {
      const isDistinct = rule.config.countDistinct !== undefined;
      const enough = isDistinct || isReduced ? maxRead : rule.config.atLeast;
      const { id: ruleId, windowMs } = rule;
      return { ruleId, groupKey, from, to, windowMs, isDistinct, before: enough, after: enough };
    }),
  );
  const hitsIn = groupByKey(stored);
  for (const group of groups) {
    const { rule, groupKey, from, isReduced } = group;
    const reported = reportedIn.get(keyOf(group)) ?? [];
    const hits = mergeHits(hitsIn.get(keyOf(group)) ?? [], group.added, counted.removed);
    const limits = { windowMs: rule.windowMs, atLeast: rule.config.atLeast };
    const items = hits.map((hit) => ({ timestamp: hit.timestamp, value: hit.valueKey }));
    const { fresh, changed, gone } = judgeGroup(items, reported, limits, from, isReduced);
    changes.changed.push(...changed);
    changes.gone.push(...gone);
    const standing = reported.filter((crossing) => !gone.includes(crossing) && crossing.alertUid !== null);
    let lastAt = standing.map((crossing) => crossing.from);
    for (const episode of fresh) {
      const crossing = { ruleId: rule.id, groupKey, ...episode };
      const cooldownMs = cooldownOf(rule);
      if (lastAt.some((time) => time <= episode.from && episode.from < time + cooldownMs)) {
        changes.held.push({ ...crossing, alertAt: null, alertUid: null });
        continue;
      }
      lastAt = [...lastAt, episode.from];
      const finding = toFinding(group, episode, hits);
      if (finding)
        changes.fresh.push({
          ...crossing,
          alertAt: finding.timestamp,
          alertUid: alertUid(finding),
          finding,
        });
    }
  }
  return changes;
}

/** A bound against what no one counts on purpose. */
const maxRead = 100_000;

function groupChanges(
  rules: readonly KnownRule[],
  added: readonly Added[],
  removed: readonly RateHit[],
): Group[] {
  const groups = new Map<string, Group>();
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  function groupOf(rule: KnownRule, { groupKey, timestamp }: RateHit): Group {
    const key = keyOf({ rule, groupKey });
    const group = groups.get(key) ?? {
      rule,
      groupKey,
      group: undefined,
      added: [],
      from: timestamp,
      to: timestamp,
      isReduced: false,
    };
    group.from = Math.min(group.from, timestamp);
    group.to = Math.max(group.to, timestamp);
    groups.set(key, group);
    return group;
  }
  for (const item of added) {
    const group = groupOf(item.rule, item.hit);
    group.added.push(item);
    group.group = item.group;
  }
  for (const hit of removed) {
    const rule = ruleOf.get(hit.ruleId);
    if (rule) groupOf(rule, hit).isReduced = true;
  }
  return [...groups.values()];
}

const keyOf = ({ rule, groupKey }: { rule: { id: number }; groupKey: string }) => `${rule.id} ${groupKey}`;

function groupByKey<T extends { ruleId: number; groupKey: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = `${row.ruleId} ${row.groupKey}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

function mergeHits(
  stored: readonly RateHit[],
  added: readonly Added[],
  removed: ReadonlyMap<string, number>,
): RateHit[] {
  const merged = new Map<string, RateHit>();
  for (const hit of [...stored, ...added.map((item) => item.hit)])
    if (!removed.has(hit.alertUid)) merged.set(`${hit.alertUid} ${hit.valueKey}`, hit);
  return [...merged.values()].sort((left, right) => left.timestamp - right.timestamp);
}

/** The alert about a crossing: as it was when the limit was reached. */
function toFinding(
  { rule, group, added }: Group,
  { from }: Episode,
  hits: readonly RateHit[],
): Finding | undefined {
  const { config, subscriber, windowMs } = rule;
  const within = hits.filter(({ timestamp }) => timestamp > from - windowMs && timestamp <= from);
  const [first] = within;
  if (!first) return undefined;
  const isDistinct = config.countDistinct !== undefined;
  const count = new Set(within.map(({ valueKey }) => valueKey)).size;
  const values = [...new Set(within.flatMap(({ value }) => value ?? []))];
  const uids = [...new Set(within.map((hit) => hit.alertUid))];
  const of = group === undefined ? '' : ` with ${config.groupBy} ${shownValue(group)}`;
  const what = isDistinct
    ? `Alerts with ${count} different values of ${config.countDistinct}`
    : `${count} alerts`;
  const matching = config.query.trim() === '' ? '' : ` that match the query`;
  const [finding] = subscriber.toFindings(
    {
      message: `${what}${of}${matching} happened within ${config.within}; the limit is ${config.atLeast}.`,
      fields: {
        count,
        atLeast: config.atLeast,
        within: config.within,
        query: config.query,
        scope: config.scope,
        ...(group !== undefined && { groupBy: config.groupBy, group: shownValue(group) }),
        ...(isDistinct && { countDistinct: config.countDistinct, values: values.slice(0, maxListed) }),
        alerts: uids.slice(-maxListed),
        firstAt: first.timestamp,
        lastAt: from,
      },
      part: first.groupKey,
    },
    { type: 'clock', at: from, newest: undefined },
  );
  // History that is pushed later than it happened is no news, and neither is its number.
  const isBackfilled = added.length > 0 && added.every((item) => item.isBackfilled);
  return finding && { ...finding, ...(isBackfilled && { backfilled: true }) };
}
