/**
 * What routes, silences, inhibitions and repeats promise, written plainly and slowly from the documents alone: one alert at a
 * time, every route asked, nothing kept that could be counted again.
 */
export type ModelRoute = {
  id: number;
  parentId: number | null;
  order: number;
  isOn: boolean;
  tag: string | null;
  goesOn: boolean;
  groupBy: 'INCIDENT' | 'CONTRACT' | 'KIND' | 'NONE';
  wait: number;
  interval: number | null;
  repeat: number | null;
  floor: string | null;
  /** Minutes of the day, by UTC. */
  active: [number, number] | null;
  mute: [number, number] | null;
  destinationIds: number[];
};

export type ModelAlert = {
  uid: string;
  severity: string;
  tags: readonly string[];
  contractId: number;
  kind: string;
  incidentUid: string | undefined;
  timestamp: number;
  isEnd: boolean;
};

export type ModelSilence = { id: number; tag: string; from: number; to: number; includeCritical: boolean };
export type ModelInhibition = { id: number; sourceTag: string; targetTag: string };

type Known = ModelAlert & {
  isResolved: boolean;
  isRetracted: boolean;
  acknowledged: { until: number | null } | undefined;
};
type Group = {
  routeId: number;
  key: string;
  beganAt: number;
  lastAt: number | undefined;
  worst: number;
  repeatAt: number | undefined;
  plannedAt: number;
  repeats: number;
  members: string[];
};
export type ModelDelivery = {
  uid: string;
  destinationId: number;
  type: 'raised' | 'repeated';
  dueAt: number;
  state: 'PENDING' | 'DELIVERED' | 'CANCELED';
  number: number;
};

const rank = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
const hour = 3_600_000;

export class RouteModel {
  routes: ModelRoute[] = [];
  silences: ModelSilence[] = [];
  inhibitions: ModelInhibition[] = [];
  reachable = new Set<number>();
  readonly alerts: Known[] = [];
  readonly groups: Group[] = [];
  readonly deliveries: ModelDelivery[] = [];
  readonly decisions = new Map<string, { code: string | null; routes: number[] }>();
  private readonly explained: {
    inhibitionId: number;
    contractId: number;
    incidentUid: string;
    uid: string;
  }[] = [];

  /** Alerts of one transaction. */
  raise(batch: readonly ModelAlert[], now: number): void {
    for (const alert of batch)
      this.alerts.push({ ...alert, isResolved: false, isRetracted: false, acknowledged: undefined });
    for (const alert of batch)
      for (const { id, sourceTag } of this.inhibitions)
        if (alert.tags.includes(sourceTag) && alert.incidentUid !== undefined) {
          const { contractId, incidentUid, uid, timestamp } = alert;
          const same = this.explained.findIndex(
            (other) =>
              other.inhibitionId === id &&
              other.contractId === contractId &&
              other.incidentUid === incidentUid,
          );
          const isLater =
            same >= 0 &&
            batch.some(
              (other) =>
                other.uid === this.explained[same]!.uid &&
                (other.timestamp > timestamp || (other.timestamp === timestamp && other.uid < uid)),
            );
          if (isLater) continue;
          if (same >= 0) this.explained.splice(same, 1);
          this.explained.push({ inhibitionId: id, contractId, incidentUid, uid });
        }
    for (const alert of batch) {
      const { code, taken } = this.decide(alert, now);
      this.decisions.set(alert.uid, { code, routes: taken.map(({ route }) => route.id) });
      const notified = new Set<number>();
      for (const { route, held, to } of taken) {
        const fresh = code === null && held === undefined ? to.filter((id) => !notified.has(id)) : [];
        for (const id of fresh) notified.add(id);
        const repeats = route.repeat !== null && held !== 'below-floor' && !alert.isEnd;
        if (fresh.length === 0 && !repeats) continue;
        const group = this.groupOf(route, alert, now);
        let dueAt = now;
        if (fresh.length > 0) {
          dueAt = this.due(group, route, alert, now);
          for (const destinationId of fresh)
            this.deliveries.push({
              uid: alert.uid,
              destinationId,
              type: 'raised',
              dueAt,
              state: 'PENDING',
              number: 0,
            });
        }
        if (!repeats) continue;
        const next = dueAt + route.repeat! * 1000;
        if (group.repeatAt === undefined || group.repeatAt > next) {
          group.repeatAt = next;
          group.plannedAt = now;
        }
        if (!group.members.includes(alert.uid)) group.members.push(alert.uid);
      }
    }
  }

  acknowledge(uid: string, until: number | null): void {
    const alert = this.alert(uid);
    if (alert.isRetracted) return;
    alert.acknowledged = { until };
    this.cancel(uid, ['repeated']);
  }

  takeBack(uid: string, now: number): void {
    const alert = this.alert(uid);
    if (alert.isRetracted || !alert.acknowledged) return;
    alert.acknowledged = undefined;
    for (const group of this.groups)
      if (group.members.includes(uid) && group.repeatAt !== undefined && group.repeatAt > now) {
        group.repeatAt = now;
        group.plannedAt = now;
      }
  }

  resolve(uid: string): void {
    const alert = this.alert(uid);
    if (alert.isRetracted || alert.isResolved) return;
    alert.isResolved = true;
    this.cancel(uid, ['repeated']);
  }

  retract(uid: string): void {
    const alert = this.alert(uid);
    if (alert.isRetracted) return;
    alert.isRetracted = true;
    this.cancel(uid, ['raised', 'repeated']);
  }

  /** Everything that is due is sent. */
  send(now: number): void {
    for (const delivery of this.deliveries)
      if (delivery.state === 'PENDING' && delivery.dueAt <= now) delivery.state = 'DELIVERED';
  }

  /** One look at what is due. */
  pass(now: number): void {
    for (const group of this.groups)
      if (group.repeatAt !== undefined && group.plannedAt > now + 5000) {
        group.repeatAt = now + Math.max(0, group.repeatAt - group.plannedAt);
        group.plannedAt = now;
      }
    const due = this.groups.filter(({ repeatAt }) => repeatAt !== undefined && repeatAt <= now);
    const moves: { alert: Known; route: ModelRoute }[] = [];
    for (const group of due) {
      group.members = group.members.filter((uid) => !this.isClosed(uid));
      const members = group.members.map((uid) => this.alert(uid));
      const waiting = members.filter(
        ({ acknowledged }) => !acknowledged || (acknowledged.until !== null && acknowledged.until <= now),
      );
      if (members.length === 0) {
        group.repeatAt = undefined;
        continue;
      }
      if (waiting.length === 0) {
        const ends = members.flatMap(({ acknowledged }) => acknowledged?.until ?? []);
        group.repeatAt = Math.min(now + hour, ...ends);
        group.plannedAt = now;
        continue;
      }
      const [worst] = waiting.sort(
        (a, b) =>
          rank.indexOf(b.severity) - rank.indexOf(a.severity) ||
          a.timestamp - b.timestamp ||
          (a.uid < b.uid ? -1 : 1),
      );
      const { code, taken } = this.decide(worst!, now);
      const own = taken.find(({ route }) => route.id === group.routeId);
      if (!own) {
        const others = taken.filter(({ route, held }) => route.repeat !== null && held !== 'below-floor');
        if (others.length === 0) this.end(group);
        else {
          group.members = group.members.filter((uid) => uid !== worst!.uid);
          for (const { route } of others) moves.push({ alert: worst!, route });
        }
        continue;
      }
      if (own.route.repeat === null || own.held === 'below-floor') {
        this.end(group);
        continue;
      }
      group.repeatAt = now + own.route.repeat * 1000;
      group.plannedAt = now;
      const isHeld = code === 'silenced' || code === 'inhibited' || own.held !== undefined;
      if (isHeld || own.to.length === 0) continue;
      group.repeats += 1;
      group.lastAt = Math.max(now, group.lastAt ?? 0);
      for (const destinationId of own.to)
        this.deliveries.push({
          uid: worst!.uid,
          destinationId,
          type: 'repeated',
          dueAt: now,
          state: 'PENDING',
          number: group.repeats,
        });
    }
    for (const { alert, route } of moves) {
      const group = this.groupOf(route, alert, now);
      group.repeatAt = Math.min(group.repeatAt ?? now, now);
      group.plannedAt = now;
      if (!group.members.includes(alert.uid)) group.members.push(alert.uid);
    }
  }

  private end(group: Group): void {
    group.repeatAt = undefined;
    group.members = [];
  }

  private alert(uid: string): Known {
    return this.alerts.find((alert) => alert.uid === uid)!;
  }

  private isClosed(uid: string): boolean {
    const { isResolved, isRetracted } = this.alert(uid);
    return isResolved || isRetracted;
  }

  private cancel(uid: string, types: readonly string[]): void {
    for (const delivery of this.deliveries)
      if (delivery.uid === uid && types.includes(delivery.type) && delivery.state === 'PENDING')
        delivery.state = 'CANCELED';
  }

  private decide(alert: ModelAlert, now: number) {
    const root = this.routes.find(({ parentId }) => parentId === null);
    const taken: { route: ModelRoute; held: string | undefined; to: number[] }[] = [];
    if (root?.isOn) this.walk(root, alert, now, taken);
    const isSilenced = this.silences.some(
      ({ tag, from, to, includeCritical }) =>
        from <= now &&
        now < to &&
        alert.tags.includes(tag) &&
        (includeCritical || alert.severity !== 'CRITICAL'),
    );
    const isInhibited =
      alert.severity !== 'CRITICAL' &&
      this.inhibitions.some(
        ({ id, sourceTag, targetTag }) =>
          alert.tags.includes(targetTag) &&
          !alert.tags.includes(sourceTag) &&
          this.explained.some(
            (cause) =>
              cause.inhibitionId === id &&
              cause.contractId === alert.contractId &&
              !this.alert(cause.uid).isRetracted &&
              this.alerts.some(
                (other) => other.incidentUid === cause.incidentUid && !other.isResolved && !other.isRetracted,
              ),
          ),
      );
    const isSent = taken.some(({ held, to }) => held === undefined && to.length > 0);
    const holds = taken.map(({ held }) => held);
    const code = isSilenced
      ? 'silenced'
      : isInhibited
        ? 'inhibited'
        : isSent
          ? null
          : (['muted', 'below-floor'].find((held) => holds.includes(held)) ?? 'no-destination');
    return { code, taken };
  }

  private walk(
    route: ModelRoute,
    alert: ModelAlert,
    now: number,
    taken: { route: ModelRoute; held: string | undefined; to: number[] }[],
  ): void {
    const below = this.routes
      .filter(({ parentId, isOn }) => parentId === route.id && isOn)
      .sort((a, b) => a.order - b.order || a.id - b.id);
    let isTaken = false;
    for (const next of below) {
      if (next.active && !isWithin(next.active, now)) continue;
      if (next.tag !== null && !alert.tags.includes(next.tag)) continue;
      isTaken = true;
      this.walk(next, alert, now, taken);
      if (!next.goesOn) break;
    }
    if (isTaken) return;
    const isLow = route.floor !== null && rank.indexOf(alert.severity) < rank.indexOf(route.floor);
    const isMuted = route.mute !== null && alert.severity !== 'CRITICAL' && isWithin(route.mute, now);
    const held = isLow ? 'below-floor' : isMuted ? 'muted' : undefined;
    let at: ModelRoute | undefined = route;
    let to: number[] = [];
    while (at && to.length === 0) {
      to = at.destinationIds.filter((id) => this.reachable.has(id));
      at = this.routes.find(({ id }) => id === at!.parentId);
    }
    taken.push({ route, held: held ?? (to.length === 0 ? 'no-destination' : undefined), to });
  }

  private groupOf({ id, groupBy }: ModelRoute, alert: ModelAlert, now: number): Group {
    const keys = {
      INCIDENT: `incident ${alert.incidentUid ?? alert.uid}`,
      CONTRACT: `contract ${alert.contractId}`,
      KIND: `kind ${alert.kind}`,
      NONE: `alert ${alert.uid}`,
    };
    const key = keys[groupBy];
    const found = this.groups.find((group) => group.routeId === id && group.key === key);
    if (found) return found;
    const group: Group = {
      routeId: id,
      key,
      beganAt: now,
      lastAt: undefined,
      worst: -1,
      repeatAt: undefined,
      plannedAt: now,
      repeats: 0,
      members: [],
    };
    this.groups.push(group);
    return group;
  }

  /** When an alert of a group is sent. */
  private due(group: Group, { groupBy, wait, interval }: ModelRoute, alert: ModelAlert, now: number): number {
    const pause = (interval ?? (groupBy === 'INCIDENT' ? 0 : 300)) * 1000;
    const severity = rank.indexOf(alert.severity);
    const { lastAt } = group;
    const isNew =
      groupBy === 'NONE' ||
      lastAt === undefined ||
      now - lastAt > 24 * hour ||
      lastAt > now + Math.max(wait * 1000, pause);
    if (isNew) {
      group.lastAt = now + wait * 1000;
      group.worst = severity;
      group.beganAt = now;
      group.repeats = 0;
      return group.lastAt;
    }
    const due = lastAt > now ? lastAt : severity > group.worst ? now : Math.max(now, lastAt + pause);
    group.lastAt = due;
    group.worst = Math.max(group.worst, severity);
    return due;
  }
}

function isWithin([from, to]: [number, number], now: number): boolean {
  const minute = Math.floor((now % 86_400_000) / 60_000);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
