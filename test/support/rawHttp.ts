import { connect } from 'node:net';

type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/** Sends bytes that no HTTP client would, and reads the answer until the server closes or the answer is complete. */
export function rawHttp(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    const finish = () => {
      socket.destroy();
      resolve(parse(text));
    };
    socket.setTimeout(60_000, () => {
      socket.destroy();
      reject(new Error(`No complete answer in 60 s: ${text}`));
    });
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (isComplete(text)) finish();
    });
    socket.on('end', finish);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      text && (error.code === 'ECONNRESET' || error.code === 'EPIPE') ? finish() : reject(error),
    );
    socket.write(bytes);
  });
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return end >= 0 && length !== undefined && Buffer.byteLength(text.slice(end + 4)) >= Number(length);
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(headers),
    body: end < 0 ? '' : text.slice(end + 4),
  };
}
