import type { Socket } from 'node:net';
import type { StreamKind } from '../destinations/destinationKind.ts';
import { destinationKinds } from '../destinations/destinationKinds.ts';
import { addressIn } from '../destinations/kindSettings.ts';
import { maskTarget } from '../destinations/maskTarget.ts';
import { createHostQueues, type HostQueues } from '../lib/createHostQueues.ts';
import { createResolve, type Resolve } from '../lib/createResolve.ts';
import { type Egress, portedEgress } from '../lib/egress.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Message, SendOutcome, Target } from '../model/notification.ts';
import { connectGuarded } from './connectGuarded.ts';
import { connectionFault } from './connectionFault.ts';
import { notSent, type Sender } from './createNotifier.ts';

type Options = { egress: Egress; hosts?: HostQueues; resolve?: Resolve; timeLimitMs?: number };

/** The server has this long to close or to refuse, once it has the whole frame. */
const closingMs = 2000;

/** Writes each message as a frame to a TLS connection of its own. The protocol has no answer: what was written is delivered. */
export function createStreamSender(options: Options): Sender {
  const { egress, hosts = createHostQueues(), resolve = createResolve(), timeLimitMs = 15_000 } = options;

  function connect(kind: StreamKind, target: Target, uri: string, signal: AbortSignal) {
    const { tenantId, settings } = target;
    const tls = { trusted: kind.trusted(settings) };
    const ported = portedEgress(egress, kind.ports);
    return connectGuarded({ uri, tenantId, egress: ported, resolve, tls, signal });
  }

  return {
    async send(target, messages, signal): Promise<SendOutcome> {
      const kind = kindOf(target);
      const uri = addressIn(target.type, target.settings) ?? '';
      if (!URL.canParse(uri)) return { ok: false, error: 'The address must have a host and a port.' };
      const frame = kind.frame(target, onlyOf(messages));
      try {
        const outcome = await hosts.run(uri, target.tenantId, signal, () =>
          withTimeLimit(signal, timeLimitMs, async (within): Promise<SendOutcome> => {
            const socket = await connect(kind, target, uri, within);
            try {
              await flush(socket, frame);
            } finally {
              socket.destroy();
            }
            return { ok: true };
          }),
        );
        return outcome ?? notSent;
      } catch (error) {
        return { ok: false, error: connectionFault(error, timeLimitMs) };
      }
    },
    render(target, messages) {
      const kind = kindOf(target);
      return { type: target.type, body: kind.frame(maskTarget(target), onlyOf(messages)).toString() };
    },
    close: async () => {},
  };
}

/** Waits until the frame is written and the server has closed the connection, which it may also do by refusing. */
async function flush(socket: Socket, frame: Buffer): Promise<void> {
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
  // An error may come before anything waits for it.
  closed.catch(() => {});
  const written = new Promise<void>((resolve) => socket.end(frame, () => resolve()));
  socket.resume();
  await Promise.race([written, closed]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closingMs);
  });
  await Promise.race([closed, late]).finally(() => clearTimeout(timer));
}

function onlyOf([message]: readonly Message[]): Message {
  if (!message) throw new Error('A frame needs a message.');
  return message;
}

function kindOf({ type }: Target): StreamKind {
  const kind = destinationKinds[type];
  if (kind.transport !== 'stream') throw new Error(`Destinations of type ${type} take no frames.`);
  return kind;
}
