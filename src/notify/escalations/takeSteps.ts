import { groupBy } from '../../lib/groupBy.ts';
import { uidTime } from '../../lib/uid.ts';
import { type AlertLinks, raisedType } from '../../model/notification.ts';
import { onCallAt } from '../../query/onCall/onCallAt.ts';
import { compileSchedule } from '../../query/onCall/schedule.ts';
import type { Db, Store } from '../../store/db/db.ts';
import { type AlertDocument, findAlertDocuments } from '../../store/destinations/findAlertDocuments.ts';
import { insertDeliveries } from '../../store/destinations/insertDeliveries.ts';
import {
  type EndedEscalation,
  endEscalations,
  findAnswers,
  resumeSnoozed,
} from '../../store/onCall/answers.ts';
import { findCallable, findContacts, findRootDestinations } from '../../store/onCall/contacts.ts';
import {
  type ChainStep,
  claimEscalations,
  type Escalation,
  replanEscalations,
} from '../../store/onCall/escalations.ts';
import { findPeople } from '../../store/onCall/people.ts';
import { findSchedules } from '../../store/onCall/schedules.ts';
import { findUnheard, insertSteps, type MadeStep } from '../../store/onCall/steps.ts';
import { findUnreachable } from '../../store/search/findReachable.ts';

const minuteMs = 60_000;
/** Steps of one transaction. */
const maxSteps = 50;

/** A step that is due, and the chain that it belongs to. */
type Due = { escalation: Escalation; step: ChainStep };

/** The reach of a step; without destinations `detail` says why. */
type Reach = Pick<MadeStep, 'kind' | 'targetId' | 'name' | 'userId' | 'detail'> & {
  destinationIds: readonly number[];
};

/**
 * Makes the steps that are due, in one transaction with their messages, and ends chains that were answered or have no step left.
 * Returns how many chains it moved.
 */
export async function takeSteps(store: Store, context: { now: number; links: AlertLinks }): Promise<number> {
  await replanEscalations(store, context.now);
  try {
    return await takeStepsOfAll(store, context, []);
  } catch (error) {
    // Those of tenants whose alerts cannot be read wait, without delaying others.
    const unreachable = await findUnreachable(store, error);
    if (unreachable.length === 0) throw error;
    return takeStepsOfAll(store, context, unreachable);
  }
}

function takeStepsOfAll(
  store: Store,
  { now, links }: { now: number; links: AlertLinks },
  except: readonly number[],
): Promise<number> {
  return store.transaction(async (tx) => {
    const resumed = await resumeSnoozed(tx, now, maxSteps, except);
    const claimed = await claimEscalations(tx, now, maxSteps, except);
    if (claimed.length === 0) return resumed;
    const answers = await findAnswers(tx, claimed);
    const current = claimed.map((escalation) => ({
      ...escalation,
      // What began the chain may be resolved or retracted while its incident is open.
      alertUid: answers.get(escalation.id)?.alertUid ?? escalation.alertUid,
    }));
    const documents = await readDocuments(tx, current);
    const ended = current.flatMap((escalation): EndedEscalation[] => {
      const { tenantId, id, alertUid } = escalation;
      const { state = null, until = null } = answers.get(id) ?? {};
      const isOver = escalation.position >= escalation.steps.length * (escalation.repeat + 1);
      if (state) return [{ tenantId, id, state, until }];
      if (!documents.has(alertUid)) return [{ tenantId, id, state: 'RETRACTED' }];
      return isOver ? [{ tenantId, id, state: 'EXHAUSTED' }] : [];
    });
    await endEscalations(tx, ended, now);
    const gone = new Set(ended.map(({ id }) => id));
    const due = current.flatMap((escalation): Due[] => {
      const step = escalation.steps[escalation.position % escalation.steps.length];
      return gone.has(escalation.id) || !step ? [] : [{ escalation, step }];
    });
    await makeSteps(tx, due, { now, links, documents });
    const exhausted = ended.filter(({ state }) => state === 'EXHAUSTED').map(({ id }) => id);
    await callRootAtEnd(
      tx,
      current.filter(({ id }) => exhausted.includes(id)),
      { now, links, documents },
    );
    return claimed.length + resumed;
  });
}

type Context = { now: number; links: AlertLinks; documents: ReadonlyMap<string, AlertDocument> };

async function makeSteps(tx: Db, due: readonly Due[], context: Context): Promise<void> {
  const { now } = context;
  const reached = await findReach(tx, due, now);
  const made = await withRoot(
    tx,
    due.map((one, index) => ({ ...one, reach: reached[index] ?? unknownReach(one) })),
  );
  await insertMessages(tx, made, context);
  await insertSteps(
    tx,
    made.map(({ escalation, step, reach }) => toMadeStep(escalation, step, reach, now)),
    now,
  );
}

/** A round that could call no one ends with the destinations of the root route, so that a gap or a deleted user loses no alert. */
async function withRoot(
  tx: Db,
  made: readonly (Due & { reach: Reach })[],
): Promise<(Due & { reach: Reach })[]> {
  const isLast = ({ position, steps }: Escalation) => position % steps.length === steps.length - 1;
  const last = made.flatMap(({ escalation, reach }) =>
    reach.destinationIds.length === 0 && isLast(escalation) ? [escalation] : [],
  );
  const unheard = await findUnheard(
    tx,
    last.map(({ tenantId, id, position, steps }) => ({ tenantId, id, since: position - steps.length + 1 })),
  );
  const roots =
    unheard.size > 0 ? await findRootDestinations(tx, tenantsOf(last)) : new Map<number, number[]>();
  return made.map((one) => {
    const { escalation, reach } = one;
    const destinationIds = unheard.has(escalation.id) ? roots.get(escalation.tenantId) : undefined;
    if (!destinationIds) return one;
    const detail =
      `${reach.detail ?? ''} No one of this round could be called, so that the root route was.`.trim();
    return { ...one, reach: { ...reach, destinationIds, detail } };
  });
}

/** Calls the destinations of the root route about chains that end without having reached anyone, because every message failed. */
async function callRootAtEnd(tx: Db, ended: readonly Escalation[], context: Context): Promise<void> {
  const unheard = await findUnheard(
    tx,
    ended.map(({ tenantId, id }) => ({ tenantId, id, since: 0 })),
  );
  if (unheard.size === 0) return;
  const roots = await findRootDestinations(tx, tenantsOf(ended));
  const made = ended.flatMap((escalation) => {
    const destinationIds = unheard.has(escalation.id) ? roots.get(escalation.tenantId) : undefined;
    const reach = { kind: 'destination', targetId: 0, name: 'Root', userId: null, detail: null } as const;
    const lastStep = { ...escalation, position: escalation.position - 1 };
    return destinationIds ? [{ escalation: lastStep, reach: { ...reach, destinationIds } }] : [];
  });
  await insertMessages(tx, made, context);
}

const tenantsOf = (escalations: readonly Escalation[]) => [
  ...new Set(escalations.map(({ tenantId }) => tenantId)),
];

async function insertMessages(
  tx: Db,
  made: readonly { escalation: Escalation; reach: Reach }[],
  { now, links, documents }: Context,
): Promise<void> {
  await insertDeliveries(
    tx,
    made.flatMap(({ escalation, reach }) => {
      const document = documents.get(escalation.alertUid);
      if (!document || reach.destinationIds.length === 0) return [];
      const { tenantId, id, alertUid, position } = escalation;
      return [
        {
          tenantId,
          type: raisedType(document),
          data: {
            ...document,
            ...escalation.extra,
            escalation: toMember(escalation, reach),
            links: links(document),
          },
          destinationIds: reach.destinationIds,
          alertUid,
          escalation: { id, number: position },
        },
      ];
    }),
    now,
  );
}

/** The member of a message that says why it comes. */
function toMember({ chainName, steps, position, id }: Escalation, { kind, name, userId }: Reach) {
  return {
    id,
    chain: chainName,
    step: (position % steps.length) + 1,
    steps: steps.length,
    round: Math.floor(position / steps.length) + 1,
    calls: kind === 'destination' ? null : name,
    userId,
  };
}

function toMadeStep(
  { tenantId, id, position, steps, alertUid }: Escalation,
  { waitMinutes }: ChainStep,
  { destinationIds, ...reach }: Reach,
  now: number,
): MadeStep {
  const isReached = destinationIds.length > 0;
  // No one else is left to be called after the last step of a round, so that its wait counts even if it reached no one.
  const isLast = position % steps.length === steps.length - 1;
  return {
    ...reach,
    tenantId,
    escalationId: id,
    alertUid,
    number: position,
    outcome: isReached ? 'CALLED' : 'NOBODY',
    nextAt: isReached || isLast ? now + waitMinutes * minuteMs : now,
  };
}

async function readDocuments(
  tx: Db,
  escalations: readonly Escalation[],
): Promise<Map<string, AlertDocument>> {
  const keys = escalations.map(({ tenantId, alertUid }) => ({
    tenantId,
    uid: alertUid,
    timestamp: uidTime(alertUid) ?? 0,
  }));
  return new Map((await findAlertDocuments(tx, keys)).map((document) => [document.uid, document]));
}

/** Asks once for all schedules, users and destinations of the steps. */
async function findReach(tx: Db, due: readonly Due[], now: number): Promise<Reach[]> {
  const onCall = await findOnCall(tx, due, now);
  const users = due.flatMap(({ escalation: { tenantId }, step }) => {
    const userId = step.userId ?? onCall.get(keyOf(tenantId, step.scheduleId))?.userId;
    return userId == null ? [] : [{ tenantId, userId }];
  });
  const contacts = new Map(
    (await findContacts(tx, users)).map((contact) => [keyOf(contact.tenantId, contact.userId), contact]),
  );
  const named = due.flatMap(({ escalation: { tenantId }, step: { destinationId } }) =>
    destinationId == null ? [] : [{ tenantId, id: destinationId }],
  );
  const destinations = new Map(
    (await findCallable(tx, named)).map((destination) => [
      keyOf(destination.tenantId, destination.id),
      destination,
    ]),
  );

  const ofUser = (tenantId: number, userId: number): Pick<Reach, 'name' | 'detail' | 'destinationIds'> => {
    const contact = contacts.get(keyOf(tenantId, userId));
    if (!contact) return { name: `User ${userId}`, detail: 'The user is deleted.', destinationIds: [] };
    const { name, isActive, destinationIds } = contact;
    if (!isActive) return { name, detail: 'The account of the user is disabled.', destinationIds: [] };
    const detail =
      destinationIds.length > 0 ? null : 'The user has no destination that can be called: set the contact.';
    return { name, detail, destinationIds };
  };
  return due.map((one): Reach => {
    const { escalation, step } = one;
    const { tenantId } = escalation;
    if (step.userId != null)
      return { kind: 'user', targetId: step.userId, userId: step.userId, ...ofUser(tenantId, step.userId) };
    if (step.scheduleId != null) {
      const schedule = onCall.get(keyOf(tenantId, step.scheduleId));
      const common = { kind: 'schedule', targetId: step.scheduleId } as const;
      const name = schedule?.name ?? `Schedule ${step.scheduleId}`;
      if (schedule?.userId == null) {
        const detail = schedule ? 'No one is on call at this time.' : 'The schedule is deleted.';
        return { ...common, name, userId: null, detail, destinationIds: [] };
      }
      const user = ofUser(tenantId, schedule.userId);
      return { ...common, userId: schedule.userId, ...user, name: `${user.name} (${name})` };
    }
    const destination = destinations.get(keyOf(tenantId, step.destinationId));
    if (!destination) return unknownReach(one);
    return {
      kind: 'destination',
      targetId: destination.id,
      name: destination.name,
      userId: null,
      detail: destination.isCallable ? null : 'The destination is disabled, deleted or not confirmed.',
      destinationIds: destination.isCallable ? [destination.id] : [],
    };
  });
}

function unknownReach({ step: { destinationId } }: Due): Reach {
  return {
    kind: 'destination',
    targetId: destinationId ?? 0,
    name: `Destination ${destinationId ?? ''}`.trim(),
    userId: null,
    detail: 'It does not exist.',
    destinationIds: [],
  };
}

/** The user on call now by each schedule; `userId` is undefined where there is no one. */
async function findOnCall(
  tx: Db,
  due: readonly Due[],
  now: number,
): Promise<Map<string, { name: string; userId: number | undefined }>> {
  const keys = new Map(
    due.flatMap(({ escalation: { tenantId }, step: { scheduleId } }) =>
      scheduleId == null ? [] : [[keyOf(tenantId, scheduleId), { tenantId, id: scheduleId }] as const],
    ),
  );
  const schedules = await findSchedules(tx, [...keys.values()]);
  const onCall = new Map<string, { name: string; userId: number | undefined }>();
  for (const [tenantId, ofTenant] of groupBy(schedules, (schedule) => schedule.tenantId)) {
    const ids = ofTenant.flatMap(({ layers, overrides }) => [
      ...layers.flatMap(({ userIds }) => userIds),
      ...overrides.map(({ userId }) => userId),
    ]);
    const people = await findPeople(tx, tenantId, [...new Set(ids)]);
    for (const schedule of ofTenant) {
      const isPresent = (id: number) => people.get(id)?.isActive === true;
      const userId = onCallAt(compileSchedule(schedule), now, isPresent)?.userId;
      onCall.set(keyOf(tenantId, schedule.id), { name: schedule.name, userId });
    }
  }
  return onCall;
}

function keyOf(tenantId: number, id: number | null | undefined): string {
  return `${tenantId} ${id}`;
}
