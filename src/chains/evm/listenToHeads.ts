import { WebSocket } from 'undici';

/** Subscribes to new heads at every WebSocket endpoint, again after a connection broke, and calls back for each head. */
export function listenToHeads(urls: readonly string[], heard: () => void): () => void {
  const stops = urls.filter((url) => url.startsWith('ws')).map((url) => listen(url, heard));
  return () => {
    for (const stop of stops) stop();
  };
}

const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });
const silenceMs = 60_000;

function listen(url: string, heard: () => void): () => void {
  let isStopped = false;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;

  function connect(delayMs: number): void {
    socket = new WebSocket(url);
    socket.onopen = () => {
      socket?.send(subscribe);
      expect();
    };
    socket.onmessage = ({ data }) => {
      expect();
      if (String(data).includes('eth_subscription')) heard();
    };
    socket.onerror = () => {};
    socket.onclose = () => again(Math.min(30_000, delayMs * 2));
  }

  /** A connection that fell silent may be dead without being closed. */
  function expect(): void {
    clearTimeout(timer);
    timer = setTimeout(() => socket?.close(), silenceMs).unref();
  }

  function again(delayMs: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => connect(delayMs), delayMs).unref();
  }

  connect(500);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}
