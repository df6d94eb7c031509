/**
 * What escalation chains and schedules promise, written plainly and slowly from the documents alone: one chain at a time, everyone
 * looked up at the moment of the step.
 */
export type ModelUser = { id: number; isActive: boolean; contact: number[] };
type ModelLayer = {
  userIds: number[];
  everyHours: number;
  start: number;
  /** Hours of the day, by UTC, at which it counts. */
  hours: [number, number] | null;
};
export type ModelSchedule = {
  id: number;
  layers: ModelLayer[];
  override: { userId: number; from: number; to: number } | null;
};
export type ModelStep = {
  userId?: number;
  scheduleId?: number;
  destinationId?: number;
  waitMinutes: number;
};
export type ModelChain = { id: number; steps: ModelStep[]; repeat: number; isOn: boolean };

type Alert = {
  uid: string;
  incident: string;
  severity: number;
  timestamp: number;
  isResolved: boolean;
  isRetracted: boolean;
  acknowledged: { until: number | null } | undefined;
};
type Delivery = { number: number; destinationId: number; state: string; alert: string };
type Run = {
  incident: string;
  chain: ModelChain;
  steps: ModelStep[];
  repeat: number;
  state: string;
  position: number;
  nextAt: number;
  plannedAt: number;
  alert: string;
  resumesAt: number | undefined;
  made: { number: number; at: number; target: string; outcome: string }[];
  deliveries: Delivery[];
};

const hour = 3_600_000;
const minute = 60_000;

export class ChainModel {
  users: ModelUser[] = [];
  schedules: ModelSchedule[] = [];
  chains: ModelChain[] = [];
  reachable = new Set<number>();
  /** The destinations of the root route. */
  root: number[] = [];
  readonly alerts: Alert[] = [];
  readonly acknowledged = new Map<string, { until: number | null }>();
  readonly runs: Run[] = [];

  /** The alerts of one incident. */
  raise(alerts: readonly Pick<Alert, 'uid' | 'incident' | 'severity' | 'timestamp'>[]): void {
    for (const alert of alerts)
      this.alerts.push({ ...alert, isResolved: false, isRetracted: false, acknowledged: undefined });
  }

  start(incident: string, chain: ModelChain, alert: string, now: number): void {
    const runs = this.runs.some(
      (run) => run.incident === incident && run.chain === chain && run.state === 'RUNNING',
    );
    if (runs || !chain.isOn) return;
    this.runs.push({
      incident,
      chain,
      steps: structuredClone(chain.steps),
      repeat: chain.repeat,
      state: 'RUNNING',
      position: 0,
      nextAt: now,
      plannedAt: now,
      alert,
      resumesAt: undefined,
      made: [],
      deliveries: [],
    });
  }

  /** `uids`: of an alert, or of all alerts of an incident, which is named too then. */
  acknowledge(uids: readonly string[], incident: string | undefined, until: number | null): void {
    if (incident !== undefined) this.acknowledged.set(incident, { until });
    this.endAnswered(incident);
    for (const uid of uids) {
      const alert = this.alert(uid);
      if (alert.isRetracted) continue;
      alert.acknowledged = { until };
      this.endAnswered(alert.incident);
    }
  }

  takeBack(uids: readonly string[], incident: string | undefined, now: number): void {
    const changed = uids.filter((uid) => !this.alert(uid).isRetracted && this.alert(uid).acknowledged);
    for (const uid of changed) this.alert(uid).acknowledged = undefined;
    if (incident !== undefined) this.acknowledged.delete(incident);
    for (const [index, run] of this.runs.entries()) {
      const isNewest = !this.runs.some(
        (other, at) => at > index && other.incident === run.incident && other.chain === run.chain,
      );
      const isMeant =
        run.incident === incident || changed.some((uid) => this.alert(uid).incident === run.incident);
      if (isNewest && isMeant && run.state === 'ACKNOWLEDGED') run.resumesAt = now;
    }
  }

  resolve(uid: string): void {
    const alert = this.alert(uid);
    if (alert.isRetracted || alert.isResolved) return;
    alert.isResolved = true;
    this.endAnswered(alert.incident);
  }

  retract(uid: string): void {
    const alert = this.alert(uid);
    if (alert.isRetracted) return;
    alert.isRetracted = true;
    this.endAnswered(alert.incident);
  }

  /** The snoozes end that end now. */
  wake(now: number): void {
    for (const held of [
      ...this.alerts.map(({ acknowledged }) => acknowledged),
      ...this.acknowledged.values(),
    ])
      if (held?.until != null && held.until <= now) held.until = 0;
  }

  send(): void {
    for (const { deliveries } of this.runs)
      for (const delivery of deliveries) if (delivery.state === 'PENDING') delivery.state = 'DELIVERED';
  }

  /** Every message of the newest step of a chain has failed twice. */
  fail(run: Run, now: number): void {
    const newest = run.made.at(-1);
    if (!newest || run.state !== 'RUNNING') return;
    newest.outcome = 'FAILED';
    if (run.position % run.steps.length === 0) return;
    run.nextAt = Math.min(run.nextAt, now);
    run.plannedAt = Math.min(run.plannedAt, now);
  }

  /** Everything that is due is done. */
  look(now: number): void {
    for (const run of this.runs)
      if (run.state === 'RUNNING' && run.plannedAt > now + 5000) {
        run.nextAt = now + Math.max(0, run.nextAt - run.plannedAt);
        run.plannedAt = now;
      }
    for (const run of this.runs)
      if (run.resumesAt !== undefined && run.resumesAt <= now) {
        const { state, until } = this.answer(run);
        run.resumesAt = state === 'ACKNOWLEDGED' && until !== null ? Math.max(until, now + 1000) : undefined;
        if (state === undefined) this.start(run.incident, run.chain, this.current(run), now);
      }
    for (const run of this.runs) while (run.state === 'RUNNING' && run.nextAt <= now) this.step(run, now);
  }

  private step(run: Run, now: number): void {
    if (this.end(run)) return;
    const { length } = run.steps;
    if (run.position >= length * (run.repeat + 1)) {
      run.state = 'EXHAUSTED';
      run.alert = this.current(run);
      if (run.made.every(({ outcome }) => outcome !== 'CALLED')) this.callRoot(run, run.position - 1);
      return;
    }
    const step = run.steps[run.position % length]!;
    run.alert = this.current(run);
    const { target, to } = this.reach(step, now);
    for (const destinationId of to)
      run.deliveries.push({ number: run.position, destinationId, state: 'PENDING', alert: run.alert });
    const round = run.made.filter(
      ({ number }) => Math.floor(number / length) === Math.floor(run.position / length),
    );
    const isUnheard =
      to.length === 0 &&
      run.position % length === length - 1 &&
      round.every(({ outcome }) => outcome !== 'CALLED') &&
      this.callRoot(run, run.position);
    const isCalled = to.length > 0 || isUnheard;
    run.made.push({ number: run.position, at: now, target, outcome: isCalled ? 'CALLED' : 'NOBODY' });
    run.position += 1;
    const waits = isCalled || run.position % length === 0;
    run.nextAt = now + (waits ? step.waitMinutes * minute : 0);
    run.plannedAt = now;
  }

  /** True if it has a destination that can be called. */
  private callRoot(run: Run, number: number): boolean {
    const to = this.root.filter((id) => this.reachable.has(id));
    for (const destinationId of to)
      run.deliveries.push({ number, destinationId, state: 'PENDING', alert: run.alert });
    return to.length > 0;
  }

  private reach(step: ModelStep, now: number): { target: string; to: number[] } {
    if (step.destinationId !== undefined)
      return {
        target: `destination ${step.destinationId}`,
        to: [step.destinationId].filter((id) => this.reachable.has(id)),
      };
    const schedule = this.schedules.find(({ id }) => id === step.scheduleId);
    const userId = schedule ? this.onCall(schedule, now) : step.userId;
    const user = this.users.find(({ id }) => id === userId);
    return {
      target: schedule ? `schedule ${schedule.id} ${userId ?? ''}` : `user ${userId} ${userId}`,
      to: user?.isActive ? user.contact.filter((id) => this.reachable.has(id)) : [],
    };
  }

  private onCall({ layers, override }: ModelSchedule, now: number): number | undefined {
    const isPresent = (id: number) => this.users.some((user) => user.id === id && user.isActive);
    if (override && override.from <= now && now < override.to && isPresent(override.userId))
      return override.userId;
    for (const { userIds, everyHours, start, hours } of layers) {
      if (now < start) continue;
      const time = Math.floor((now % (24 * hour)) / hour);
      const [from, to] = hours ?? [0, 24];
      if (from < to ? time < from || time >= to : time < from && time >= to) continue;
      const userId = userIds[Math.floor((now - start) / (everyHours * hour)) % userIds.length]!;
      if (isPresent(userId)) return userId;
    }
    return undefined;
  }

  private endAnswered(incident: string | undefined): void {
    for (const run of this.runs)
      if (run.incident === incident && (run.state === 'RUNNING' || run.state === 'EXHAUSTED')) this.end(run);
  }

  private end(run: Run): boolean {
    const { state, until } = this.answer(run);
    if (state === undefined) return false;
    if (run.state === 'RUNNING') {
      run.state = state;
      run.resumesAt = state === 'ACKNOWLEDGED' && until !== null ? until : undefined;
    }
    for (const delivery of run.deliveries) if (delivery.state === 'PENDING') delivery.state = 'CANCELED';
    return true;
  }

  private answer(run: Run): { state: string | undefined; until: number | null } {
    const { incident } = run;
    const all = this.alerts.filter((one) => one.incident === incident);
    const present = all.filter(({ isRetracted }) => !isRetracted);
    const answers = [this.acknowledged.get(incident), this.alert(this.current(run)).acknowledged].filter(
      (answer) => answer !== undefined && answer.until !== 0,
    );
    const until = answers.some((answer) => answer!.until === null)
      ? null
      : Math.max(0, ...answers.map((answer) => answer!.until!));
    if (present.length === 0) return { state: 'RETRACTED', until };
    if (present.every(({ isResolved }) => isResolved)) return { state: 'RESOLVED', until };
    return { state: answers.length > 0 ? 'ACKNOWLEDGED' : undefined, until };
  }

  /** The alert that a run calls about: its own while that is open, or else the worst open one of the incident. */
  private current({ incident, alert }: Run): string {
    const isOpen = ({ isResolved, isRetracted }: Alert) => !isResolved && !isRetracted;
    if (isOpen(this.alert(alert))) return alert;
    const [worst] = this.alerts
      .filter((one) => one.incident === incident && isOpen(one))
      .sort((a, b) => b.severity - a.severity || b.timestamp - a.timestamp || (a.uid < b.uid ? -1 : 1));
    return worst?.uid ?? alert;
  }

  private alert(uid: string): Alert {
    return this.alerts.find((alert) => alert.uid === uid)!;
  }
}
