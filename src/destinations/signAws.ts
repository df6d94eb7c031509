import { createHash, createHmac } from 'node:crypto';
import type { MessageRequest } from './destinationKind.ts';

export type AwsKey = { accessKeyId: string; secretAccessKey: string };
export type AwsScope = { region: string; service: string; now: number };

/** Signature Version 4 of AWS: the request with the headers that sign it. Every header that it has is signed. */
export function signAws(
  made: MessageRequest,
  key: AwsKey,
  { region, service, now }: AwsScope,
): MessageRequest {
  const url = new URL(made.uri);
  const amzDate = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const date = amzDate.slice(0, 8);
  const headers: Record<string, string> = { ...made.headers, host: url.host, 'x-amz-date': amzDate };
  const names = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .sort();
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const canonical = [
    made.method,
    canonicalPath(url.pathname),
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${(lower.get(name) ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    sha256(made.body),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', amzDate, scope, sha256(canonical)].join('\n');
  const signingKey = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${key.secretAccessKey}`,
  );
  const signature = hmac(signingKey, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...made, headers: { ...headers, authorization } };
}

/** The path with each segment encoded once more, as every service but S3 wants it. */
function canonicalPath(path: string): string {
  return path.split('/').map(encode).join('/') || '/';
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
