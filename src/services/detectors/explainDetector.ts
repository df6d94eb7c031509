import { getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { canonicalHash } from '../../lib/canonicalHash.ts';
import { sealedText } from '../../lib/secret.ts';

import { compileDetector } from '../../matching/compileDetector.ts';
import type { Fetch, ReadRequest } from '../../matching/createReadCache.ts';
import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import { evaluateMatches } from '../../matching/evaluateMatches.ts';
import { matchInner } from '../../matching/matchInner.ts';
import { toMeta } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { Observation } from '../../model/detection.ts';
import { Problem } from '../../model/errors.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import { findDetectorToRun } from '../../store/watch/backtests.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';
import { findReadable } from '../records/findReadable.ts';
import { rebuildState } from './rebuildState.ts';

type Step = { step: string; text: string; details?: Record<string, unknown> };
export type Explanation = { verdict: 'ALERT' | 'NO_ALERT' | 'FAULT'; steps: Step[]; alerts: Finding[] };

/** Explains why a transaction does or does not raise an alert, step by step. */
export async function explainDetector(call: Call, detectorId: number, txHash: string): Promise<Explanation> {
  const { tenantId } = await findReadable(call, detectorTable, detectorId);
  const detector = await findDetectorToRun(call.db, tenantId, detectorId);
  const { contract } = detector;
  const uid = contract.chainUid;
  const client = call.services.chains.client(uid);
  if (!client) throw new Problem('conflict', `Transactions cannot be read. ${noEndpoint(uid)}`);
  const steps: Step[] = [];
  const subscriber = compileDetector(detector, contract, toChainFacts(getChain(uid)));
  if ('fault' in subscriber) {
    steps.push({ step: 'configuration', text: subscriber.fault });
    return { verdict: 'FAULT', steps, alerts: [] };
  }
  steps.push({
    step: 'configuration',
    text: 'The configuration is valid.',
    details: toMeta({ interests: subscriber.interests }),
  });
  const number = await client.blockOfTransaction(txHash);
  const index = createSubscriptionIndex();
  index.add(subscriber);
  const found = number === null ? null : await client.block(number);
  const block = found && ((await client.detail?.(found, index)) ?? found);
  const transaction = block?.transactions.find(({ hash }) => hash === canonicalHash(txHash));
  if (!block || !transaction)
    throw new Problem('not-found', 'The chain has no such transaction, or it is not in a block yet.');
  const details = {
    from: transaction.from,
    to: transaction.to,
    blockNumber: block.number,
    logs: transaction.logs.length,
  };
  steps.push({
    step: 'transaction',
    text: `The transaction is in block ${block.number} and has ${transaction.logs.length} logs.`,
    details,
  });
  const inner = await matchInner(client, index, block);
  const inBlock = [
    ...(index.match(block, undefined).get(subscriber) ?? []),
    ...(inner.matches.get(subscriber) ?? []),
  ];
  if (inner.failure !== undefined)
    steps.push({ step: 'trace', text: `Calls within the transaction are not known. ${inner.failure}` });
  const isStateful = subscriber.takesBaseline === true || (subscriber.lookbackMs ?? 0) > 0;
  const matched = inBlock.filter(
    (observation) => 'transaction' in observation && observation.transaction === transaction,
  );
  steps.push({
    step: 'match',
    text:
      matched.length > 0
        ? `${matched.length} parts of the transaction interest the detector.`
        : isStateful && inBlock.length > 0
          ? 'Nothing in the transaction itself interests the detector, which judges its block as a whole.'
          : 'Nothing in the transaction interests the detector.',
    details: { parts: matched.map(toReference) },
  });
  const ask = call.services.fetchFor(uid, client);
  const fetch: Fetch = async (requests) => {
    const answers = await ask(requests);
    steps.push(
      ...requests.map((request, n) => ({
        step: 'question',
        text: `Asked: ${request.type}.`,
        details: toMeta({ request: shownRequest(request), answer: shownAnswer(answers[n]) }),
      })),
    );
    return answers;
  };
  const rebuilt = isStateful ? await rebuildState(client, ask, subscriber, block) : undefined;
  if (rebuilt) steps.push({ step: 'state', text: describeState(rebuilt) });
  // A detector with memory judges a block by all its content, and by the state after it.
  const judged = isStateful ? inBlock : matched;
  const evaluated = await evaluateMatches(
    new Map(judged.length > 0 ? [[subscriber, judged]] : []),
    () => rebuilt?.state,
    fetch,
  );
  const [fault] = evaluated.faults;
  const alerts = evaluated.findings.filter(({ txHash }) => txHash == null || txHash === transaction.hash);
  const basis = rebuilt
    ? 'Alerts of the block as a whole are among them.'
    : 'Judged without what the detector remembers of earlier blocks.';
  if (fault) steps.push({ step: 'evaluation', text: `The evaluation failed: ${fault.message}` });
  else
    steps.push({
      step: 'evaluation',
      text: `${alerts.length} finding${alerts.length === 1 ? '' : 's'}. ${basis}`,
    });
  return { verdict: fault ? 'FAULT' : alerts.length > 0 ? 'ALERT' : 'NO_ALERT', steps, alerts };
}

function describeState({ blocks, isWhole, fault }: Awaited<ReturnType<typeof rebuildState>>): string {
  if (fault)
    return `What the detector remembered before this block could not be rebuilt: ${fault} It is judged without.`;
  const shown = `the ${blocks} block${blocks === 1 ? '' : 's'} before`;
  return isWhole
    ? `What the detector remembered before this block was rebuilt from ${shown}.`
    : `The detector looks back further than ${shown}, from which its memory was rebuilt: sums may be too small.`;
}

/** Without credentials, and with the member names of the API. */
function shownRequest(request: ReadRequest): unknown {
  if (request.type === 'chain' && request.question.type === 'storage') {
    const { key: slot, ...question } = request.question;
    return { ...request, question: { ...question, slot } };
  }
  if (request.type !== 'http') return request;
  const { headers, ...rest } = request.request;
  const shown = Object.keys(headers).map((name) => [
    name,
    name === 'authorization' ? sealedText : headers[name],
  ]);
  return { ...request, request: { ...rest, headers: Object.fromEntries(shown) } };
}

/** Without the body of an internal answer; receipts and failed calls have the member names of the API. */
function shownAnswer(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if ('value' in answer) return { value: shownValue(answer.value) };
  if (!('internal' in answer) || !('body' in answer)) return answer;
  const { body: _body, ...shown } = answer;
  return shown;
}

function shownValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('failure' in value) return { reverted: value.failure };
  if (!('used' in value) || !('price' in value)) return value;
  const { used: gasUsed, price: gasPrice, ...rest } = value;
  return { ...rest, gasUsed, gasPrice };
}

function toReference(observation: Observation) {
  return observation.type === 'log'
    ? {
        type: 'log',
        index: observation.log.index,
        address: observation.log.address,
        topics: observation.log.key === '' ? [] : [observation.log.key, ...observation.log.indexed],
      }
    : {
        type: observation.type,
        ...(observation.type === 'call' && {
          selector: observation.call.key,
          caller: observation.call.caller,
        }),
      };
}
