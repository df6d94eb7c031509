import type { HeadSubscription } from '../chainClient.ts';
import { answerKinds } from './answerLimits.ts';
import { type NodeSocket, openSocket } from './openSocket.ts';

/** Announcement of new heads by nodes of a family. */
export type HeadProtocol = {
  /** The address of an endpoint at which it announces them; undefined where it does not. */
  urlOf(url: string): string | undefined;
  /** Message sent once the connection is open. */
  readonly subscribe?: string;
  /** The block number that a message announces; undefined for any other message. */
  headIn(message: string): number | undefined;
};

/**
 * Subscribes to new heads at every WebSocket endpoint and calls back for each head. A connection that broke, or that does not
 * announce what others have, is replaced.
 */
export function subscribeToHeads(
  urls: readonly string[],
  protocol: HeadProtocol,
  onHead: (number: number) => void,
): HeadSubscription {
  const sockets = urls.flatMap((address) => {
    const url = protocol.urlOf(address);
    return url === undefined ? [] : [listen(url, protocol, announce)];
  });
  let newest = -1;

  function announce(number: number): void {
    if (number > newest) appeared(number);
    onHead(number);
  }

  function appeared(number: number): void {
    newest = number;
    for (const socket of sockets) socket.appeared(number);
  }

  return {
    appeared,
    stop: () => {
      for (const socket of sockets) socket.stop();
    },
  };
}

/** No chain makes blocks as fast. */
export const headLimits = {
  maxBytes: () => answerKinds.small.maxBytes,
  maxFrames: 500,
  connectMs: 10_000,
};
/** Without anything to compare it with: the chain may rest for so long. */
const silenceMs = 60_000;
/** Largest delay of a head behind the announcements of others. */
const graceMs = 1000;
const firstDelayMs = 500;

function listen(url: string, { subscribe, headIn }: HeadProtocol, onHead: (number: number) => void) {
  let isStopped = false;
  let socket: NodeSocket | undefined;
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** A block that the connection should have announced, until it does. */
  let overdue: { number: number; timer: NodeJS.Timeout } | undefined;
  let delayMs = firstDelayMs;
  /** The newest block that this connection announced or, before it announced any, that it may have come too late for. */
  let announced = -1;

  function connect(): void {
    announced = -1;
    isOpen = false;
    socket = openSocket(url, headLimits, {
      onOpen() {
        isOpen = true;
        if (subscribe !== undefined) socket?.send(subscribe);
        closeAfter(silenceMs);
      },
      onMessage(pieces) {
        closeAfter(silenceMs);
        const number = headIn(Buffer.concat(pieces).toString());
        if (number === undefined) return;
        announced = number;
        if (overdue && overdue.number <= number) clearOverdue();
        if (!overdue) delayMs = firstDelayMs;
        onHead(number);
      },
      onClose: again,
    });
  }

  function closeAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(close, ms).unref();
  }

  function close(): void {
    socket?.close();
    again();
  }

  function clearOverdue(): void {
    clearTimeout(overdue?.timer);
    overdue = undefined;
  }

  function again(): void {
    isOpen = false;
    clearTimeout(timer);
    clearOverdue();
    if (!isStopped) timer = setTimeout(connect, delayMs).unref();
    delayMs = Math.min(30_000, delayMs * 2);
  }

  connect();
  return {
    /** The chain has a new block: a connection that does not announce it soon has fallen silent, although it is open. */
    appeared(number: number): void {
      if (!isOpen || overdue || number <= announced) return;
      if (announced < 0) {
        announced = number;
        return;
      }
      overdue = { number, timer: setTimeout(close, graceMs).unref() };
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
      clearOverdue();
      socket?.close();
    },
  };
}
