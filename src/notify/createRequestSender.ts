import { type Dispatcher, request } from 'undici';
import type { KindResponse, MessageRequest, RequestKind } from '../destinations/destinationKind.ts';
import { destinationKinds, isGrouped } from '../destinations/destinationKinds.ts';
import { sealedSettings } from '../destinations/kindSettings.ts';
import { maskTarget } from '../destinations/maskTarget.ts';
import { digestStory, incidentOf } from '../destinations/texts/digestStory.ts';
import { toPlainText } from '../destinations/texts/toPlainText.ts';
import { createGuardedAgents } from '../lib/createGuardedAgents.ts';
import { createHostQueues, type HostQueues } from '../lib/createHostQueues.ts';
import type { Resolve } from '../lib/createResolve.ts';
import { type Egress, webhookFault } from '../lib/egress.ts';
import { sealedText } from '../lib/secret.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { EarlierMessage, Message, SendOutcome, Target } from '../model/notification.ts';
import { connectionFault } from './connectionFault.ts';
import { notSent, type Sender } from './createNotifier.ts';

type Options = {
  egress: Egress;
  hosts?: HostQueues;
  now: () => number;
  resolve?: Resolve;
  timeLimitMs?: number;
};

/** Reads this much of a response, so that the connection can be reused; the body is discarded. */
const maxResponseBytes = 64 * 1024;
const responseReadMs = 1000;

/** Sends to every kind of destination that takes HTTP requests. */
export function createRequestSender(options: Options): Sender {
  const { egress, now, hosts = createHostQueues(), timeLimitMs = 15_000 } = options;
  const agents = createGuardedAgents(egress, options.resolve);

  async function send(
    target: Target,
    messages: readonly Message[],
    signal: AbortSignal,
    earlier?: EarlierMessage,
  ): Promise<SendOutcome> {
    const kind = kindOf(target);
    const post = (made: MessageRequest) => postTo(kind, target, made, signal);
    const edited = await edit(kind, target, earlier, post);
    if (edited) return edited;
    const made = kind.request(target, messages, { now: now(), earlier });
    if (!made) return { ok: true };
    const { outcome, response } = await post(made);
    if (!outcome.ok || !response) return outcome;
    const [message] = messages;
    const ending = message?.type === 'ping' && kind.endTest?.(target, message);
    if (ending) return (await post(ending)).outcome;
    const ref = incidentOf(messages) && kind.refOf?.(response);
    return ref ? { ...outcome, ref } : outcome;
  }

  async function postTo(
    kind: RequestKind,
    target: Target,
    made: MessageRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    // The agent checks names when it resolves them; a literal IP address is not resolved.
    const { tenantId } = target;
    const fault = webhookFault(made.uri, tenantId, egress);
    if (fault) return { outcome: { ok: false, error: `The address ${fault}.` } };
    const answer = await hosts.run(made.uri, tenantId, signal, () => attempt(kind, target, made, signal));
    return answer ?? { outcome: notSent };
  }

  async function attempt(
    kind: RequestKind,
    target: Target,
    { uri, bytes, ...made }: MessageRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { tenantId } = target;
    const { readsBody = false } = kind;
    const limits = { headersTimeout: timeLimitMs, ...(readsBody ? {} : { bodyTimeout: responseReadMs }) };
    try {
      const received = await withTimeLimit(signal, timeLimitMs, async (within) => {
        const sent = { ...made, body: bytes ?? made.body };
        const options = { ...sent, ...limits, dispatcher: agents.agentOf(tenantId), signal: within };
        const response = await request(uri, options);
        return { ...response, text: readsBody ? await response.body.text() : '' };
      });
      const { statusCode: status, headers, body, text } = received;
      if (!readsBody) await discardBody(body);
      // Tenants must not read the responses of internal services.
      const shown = text && agents.reachOf(tenantId, uri) === 'public' ? withoutSecrets(text, target) : '';
      const response = { status, headers, text, shown };
      return { outcome: kind.outcome(response, now()), response };
    } catch (error) {
      return { outcome: { ok: false, error: connectionFault(error, timeLimitMs) } };
    }
  }

  return {
    send,
    render(target, messages) {
      const kind = kindOf(target);
      const made = kind.request(maskTarget(target), messages, { now: now() });
      if (!made) return { type: target.type };
      const { method, uri, headers, body } = made;
      return isGrouped(kind)
        ? { type: target.type, uri, text: toPlainText(digestStory(messages)), body }
        : { type: target.type, method, uri, headers, body };
    },
    close: () => agents.close(),
  };
}

/** A receiver may send back what it was sent; no secret of the destination may reach an error text. */
function withoutSecrets(text: string, target: Target): string {
  const secrets = [
    target.messengerBUri,
    ...Object.values(target.headers),
    ...sealedSettings(target.type).map((name) => target.settings[name]),
  ];
  return secrets.reduce<string>(
    (clean, secret) => (typeof secret === 'string' && secret ? clean.replaceAll(secret, sealedText) : clean),
    text,
  );
}

type Answer = { outcome: SendOutcome; response?: KindResponse };

/** Lets the earlier message say everything; undefined when it cannot be edited, so that a new one is needed. */
async function edit(
  kind: RequestKind,
  target: Target,
  earlier: EarlierMessage | undefined,
  post: (made: MessageRequest) => Promise<Answer>,
): Promise<SendOutcome | undefined> {
  const made = earlier?.grown && kind.edit?.(target, earlier);
  if (!made) return undefined;
  const { outcome, response } = await post(made);
  if (outcome.ok) return { ...outcome, ref: earlier.ref };
  // The message was deleted, or is too old.
  return response && response.status >= 400 && response.status < 500 && response.status !== 429
    ? undefined
    : outcome;
}

function kindOf({ type }: Target): RequestKind {
  const kind = destinationKinds[type];
  if (kind.transport !== 'request') throw new Error(`Destinations of type ${type} take no HTTP requests.`);
  return kind;
}

/** The status decides; a large or slow body changes nothing. */
async function discardBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  try {
    await body.dump({ limit: maxResponseBytes, signal: AbortSignal.timeout(responseReadMs) });
  } catch {
    body.destroy();
  }
}
