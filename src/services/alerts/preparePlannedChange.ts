import { getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { detectors } from '../../detectors/detectors.ts';
import { nearest } from '../../lib/nearest.ts';
import { type Fault, invalid, Problem, unprocessable } from '../../model/errors.ts';
import { everything } from '../../model/principal.ts';
import { invalidInput } from '../../model/validate.ts';
import { findAuthor } from '../../store/alerts/comments.ts';
import { hasGuardedWallet } from '../../store/alerts/plannedChanges.ts';
import { listSchemaNames } from '../../store/detectors/detectorSchemas.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { plannedChangeTable } from '../../store/tables/plannedChangeTable.ts';
import { triggers } from '../../triggers/triggers.ts';
import { checkOwnKey } from '../actions/checkApprover.ts';
import type { Call } from '../call.ts';
import { detectorEvidence, triggerEvidence } from '../records/alertShape.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';

const maxMs = 30 * 86_400_000;

type Change = ChangeOf<typeof plannedChangeTable>;
type Planned = Extract<Change, { id?: undefined }>['input'];

/** A planned change is never altered: what a second person has confirmed is what applies. */
export async function preparePlannedChange(call: Call, change: Change): Promise<Row> {
  const { now, db, principal } = call;
  const tenantId = tenantOf(change);
  // Planned changes have no update.
  const { from, to, actors, expected, needsConfirmation, ...others } = change.input as Planned;
  if (to <= now) throw invalid('/to', 'past', 'must be in the future: alerts of the past stay as they are.');
  if (to <= from) throw invalid('/to', 'order', 'must be after `from`.');
  if (to - from > maxMs)
    throw invalid('/to', 'too-long', 'must be at most 30 days after `from`: a shorter window hides less.');
  const faults = (
    await Promise.all(expected.map((one, index) => expectationFaults(call, one, index)))
  ).flat();
  if (faults.length > 0) throw invalidInput(faults);
  const needs = needsConfirmation || (await hasGuardedWallet(db, tenantId));
  if (needs) await checkPlanner(call, tenantId);
  return {
    ...others,
    startsAt: from,
    endsAt: to,
    actors: await canonicalActors(call, others.contractId, actors),
    expected,
    needsConfirmation: needs,
    state: needs ? 'PENDING' : 'OPEN',
    effectiveAt: needs ? null : now,
    authorId: principal.tenantId === tenantId ? principal.userId : null,
    author: await findAuthor(db, principal.tokenId),
  };
}

/** Someone must be known to be the first person, or no one could ever be the second. */
async function checkPlanner(call: Call, tenantId: number): Promise<void> {
  const { userId, tenantId: home } = call.principal;
  if (userId === null || home !== tenantId)
    throw new Problem(
      'forbidden',
      'A second person must confirm it, and this token belongs to no user of the tenant, so that no one could tell who is the first: plan it as a user of the tenant.',
    );
  await checkOwnKey(call);
}

async function canonicalActors(call: Call, contractId: number, actors: readonly string[]): Promise<string[]> {
  const contract = await findRecord(call.db, contractTable, everything, contractId, ['chainUid']);
  if (!contract)
    throw unprocessable('/contractId', 'unknown-reference', 'There is no contract with this id.');
  const chain = getChain(contract.chainUid);
  return actors.map((actor, index) => {
    const read = families[chain.family].readAddress(actor, chain);
    if ('fault' in read) throw unprocessable(`/actors/${index}`, 'not-an-address', read.fault);
    return read.canonical;
  });
}

async function expectationFaults(
  call: Call,
  { kind, values, amountMember, amountUpTo }: Planned['expected'][number],
  index: number,
): Promise<Fault[]> {
  const pointer = `/expected/${index}`;
  const evidence = detectors.has(kind) ? detectorEvidence(kind, false) : triggerEvidence(kind);
  if (!evidence && !(await listSchemaNames(call.db)).includes(kind)) {
    const closest = nearest(kind, [...detectors.keys(), ...triggers.keys()]);
    const message = `is neither a kind of detector nor a type of trigger${closest ? `; did you mean ${closest}?` : '.'}`;
    return [{ pointer: `${pointer}/kind`, code: 'unknown-kind', message }];
  }
  const named = Object.keys(values ?? {});
  if (named.length === 0 && amountUpTo == null)
    return [
      {
        pointer: `${pointer}/values`,
        code: 'required',
        message:
          'is required unless `amountUpTo` is given: without either, every alert of the kind would pass as planned.',
      },
    ];
  if (amountMember != null && amountUpTo == null)
    return [
      {
        pointer: `${pointer}/amountUpTo`,
        code: 'required',
        message: 'is required where `amountMember` is given.',
      },
    ];
  const members = [
    ...named.map((name) => ({ name, at: `${pointer}/values/${name}` })),
    ...(amountMember == null ? [] : [{ name: amountMember, at: `${pointer}/amountMember` }]),
  ];
  // Evidence of detectors that run elsewhere is not known here.
  return members.flatMap(({ name, at }): Fault[] => {
    if (!evidence || evidence.some((known) => name === known || name.startsWith(`${known}.`))) return [];
    const closest = nearest(name, evidence);
    const message = `is no member of the evidence of ${kind}${closest ? `; did you mean ${closest}?` : `: it has ${evidence.join(', ')}.`}`;
    return [{ pointer: at, code: 'unknown-member', message }];
  });
}
