import { WebSocket } from 'undici';

/** Subscribes to new heads at every WebSocket endpoint, again after a connection broke, and calls back for each head. */
export function subscribeToHeads(urls: readonly string[], onHead: (number: number) => void): () => void {
  const stops = urls.filter((url) => url.startsWith('ws')).map((url) => listen(url, onHead));
  return () => {
    for (const stop of stops) stop();
  };
}

const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });
const silenceMs = 60_000;
const firstDelayMs = 500;

function listen(url: string, onHead: (number: number) => void): () => void {
  let isStopped = false;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let delayMs = firstDelayMs;

  function connect(): void {
    socket = new WebSocket(url);
    expect();
    socket.addEventListener('open', () => socket?.send(subscribe));
    socket.addEventListener('message', ({ data }) => {
      expect();
      const number = headIn(String(data));
      if (number === undefined) return;
      delayMs = firstDelayMs;
      onHead(number);
    });
    // A failure is followed by the end.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', again);
  }

  /** A connection that fell silent may be dead without being closed. */
  function expect(): void {
    clearTimeout(timer);
    timer = setTimeout(() => socket?.close(), silenceMs).unref();
  }

  function again(): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(connect, delayMs).unref();
    delayMs = Math.min(30_000, delayMs * 2);
  }

  connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}

/** The block number that a new-head message announces; undefined for any other message. */
function headIn(message: string): number | undefined {
  if (!message.includes('"eth_subscription"')) return undefined;
  const found = /"number"\s*:\s*"(0x[0-9a-f]+)"/i.exec(message);
  return found ? Number(found[1]) : undefined;
}
