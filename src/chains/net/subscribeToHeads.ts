import type { Socket } from 'node:net';
import { Agent, buildConnector, WebSocket } from 'undici';
import type { HeadSubscription } from '../chainClient.ts';

/** How nodes of a family announce new heads. */
export type HeadProtocol = {
  /** The address of an endpoint at which it announces them; undefined where it does not. */
  urlOf(url: string): string | undefined;
  /** What is sent once the connection is open. */
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
  const sockets = urls.flatMap((each) => {
    const url = protocol.urlOf(each);
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

const connectMs = 10_000;
/** Without anything to compare it with: the chain may rest for so long. */
const silenceMs = 60_000;
/** How much later than elsewhere a head may be announced. */
const graceMs = 1000;
const firstDelayMs = 500;

function listen(url: string, { subscribe, headIn }: HeadProtocol, onHead: (number: number) => void) {
  const connector = buildConnector({ timeout: connectMs });
  let connection: Socket | undefined;
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connector(options, (...[error, opened]) => {
        if (error) return callback(error, null);
        connection = opened;
        callback(null, opened);
      }),
  });
  let isStopped = false;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** A block that the connection should have announced, until it does. */
  let overdue: { number: number; timer: NodeJS.Timeout } | undefined;
  let delayMs = firstDelayMs;
  /** The newest block that this connection announced or, before it announced any, that it may have come too late for. */
  let announced = -1;

  function connect(): void {
    announced = -1;
    socket = new WebSocket(url, { dispatcher });
    closeAfter(connectMs);
    socket.addEventListener('open', () => {
      if (subscribe !== undefined) socket?.send(subscribe);
      closeAfter(silenceMs);
    });
    socket.addEventListener('message', ({ data }) => {
      closeAfter(silenceMs);
      const number = headIn(String(data));
      if (number === undefined) return;
      announced = number;
      if (overdue && overdue.number <= number) clearOverdue();
      if (!overdue) delayMs = firstDelayMs;
      onHead(number);
    });
    // A failure is followed by the end.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', again);
  }

  function closeAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(close, ms).unref();
  }

  /** Does not wait for the other side to agree: it may be dead. */
  function close(): void {
    socket?.close();
    connection?.destroySoon();
  }

  function clearOverdue(): void {
    clearTimeout(overdue?.timer);
    overdue = undefined;
  }

  function again(): void {
    clearTimeout(timer);
    clearOverdue();
    if (!isStopped) timer = setTimeout(connect, delayMs).unref();
    delayMs = Math.min(30_000, delayMs * 2);
  }

  connect();
  return {
    /** The chain has a new block: a connection that does not announce it soon has fallen silent, although it is open. */
    appeared(number: number): void {
      if (socket?.readyState !== WebSocket.OPEN || overdue || number <= announced) return;
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
      close();
      void dispatcher.destroy();
    },
  };
}
