import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCurrent } from './etag.ts';

/** A file as it is sent, compressed once. */
export type StoredFile = {
  type: string;
  etag: string;
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
};

type Packed = Partial<Record<'br' | 'gzip', Buffer | undefined>>;

export function storedFile(type: string, plain: Buffer, { br, gzip: gz }: Packed = {}): StoredFile {
  // Weak, because it stands for the text and not for one way to compress it.
  const etag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
  return { type, etag, plain, br, gzip: gz };
}

/** Smaller ones are sent as they are. */
const leastPacked = 1024;
/** Higher ones take seconds for a few per cent. */
const brotliQuality = 6;

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/** Compresses outside of the event loop. */
export async function packFile(type: string, content: string | Buffer): Promise<StoredFile> {
  const plain = Buffer.from(content);
  if (plain.length < leastPacked) return storedFile(type, plain);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const [br, gz] = await Promise.all([toBrotli(plain, { params }), toGzip(plain)]);
  return storedFile(type, plain, { br, gzip: gz });
}

/** For routes that send stored files: nothing is compressed again. */
export const asStored = { compress: false } as const;

export function sendStored(request: FastifyRequest, reply: FastifyReply, file: StoredFile): FastifyReply {
  reply.header('etag', file.etag).header('vary', 'accept-encoding');
  if (isCurrent(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] as const).find((name) => file[name] && accepts(accepted, name));
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(file.type).send((encoding && file[encoding]) ?? file.plain);
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name, weight = ''] = part.trim().split(/\s*;\s*q=/);
    return name === encoding && !/^0(\.0*)?$/.test(weight);
  });
}
