import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export const bytes = (text: string) => Buffer.from(text, 'base64url');

/** A browser as the standard describes it: it opens what a push service hands it. */
export function createBrowser() {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const auth = randomBytes(16);
  const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  return {
    p256dh: ecdh.getPublicKey().toString('base64url'),
    auth: auth.toString('base64url'),
    open(body: Buffer): string {
      const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body[20]!];
      if (length !== 65 || body.length > size) throw new Error('This is no single record of a push message.');
      const sender = body.subarray(21, 21 + length);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
      const secret = derive(ecdh.computeSecret(sender), auth, info, 32);
      const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce);
      decipher.setAuthTag(body.subarray(-16));
      const text = Buffer.concat([decipher.update(body.subarray(86, -16)), decipher.final()]);
      if (text.at(-1) !== 2) throw new Error('The record does not end as the last one must.');
      return text.subarray(0, -1).toString();
    },
  };
}

/** What a push service checks of the sender (RFC 8292); returns its claims. */
export function checkVapid(header: string, applicationKey: Buffer): Record<string, unknown> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  if (!bytes(key).equals(applicationKey)) throw new Error('This is another key than was subscribed for.');
  const [head = '', claims = '', signature = ''] = token.split('.');
  const [x, y] = [applicationKey.subarray(1, 33), applicationKey.subarray(33)].map((half) =>
    half.toString('base64url'),
  );
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x!, y: y! } });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes(signature),
  );
  if (!isSigned) throw new Error('The signature does not hold.');
  return JSON.parse(bytes(claims).toString());
}

type Pushed = { path: string; headers: IncomingHttpHeaders; bytes: Buffer };

export type PushService = {
  url: string;
  pushed: Pushed[];
  /** Paths of browsers that ended their subscription. */
  ended: Set<string>;
  close(): Promise<void>;
};

/** A push service that refuses what RFC 8030, 8188 and 8292 have it refuse. */
export async function startPushService(applicationKey: () => Buffer): Promise<PushService> {
  const pushed: Pushed[] = [];
  const ended = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      const body = Buffer.concat(chunks);
      const refuse = (status: number) => response.writeHead(status).end();
      if (request.method !== 'POST' || !/^\d+$/.test(String(headers.ttl))) return refuse(400);
      if (headers['content-encoding'] !== 'aes128gcm' || body.length > 4096) return refuse(400);
      if (headers.topic && !/^[\w-]{1,32}$/.test(String(headers.topic))) return refuse(400);
      try {
        const { aud, exp } = checkVapid(String(headers.authorization), applicationKey());
        const isLate = Number(exp) < Date.now() / 1000 || Number(exp) > Date.now() / 1000 + 86_400;
        if (aud !== url || isLate) return refuse(403);
      } catch {
        return refuse(403);
      }
      if (ended.has(path)) return refuse(410);
      pushed.push({ path, headers, bytes: body });
      return response.writeHead(201, { location: `${url}/message/1` }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, pushed, ended, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
