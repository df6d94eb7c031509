import { createHash, createHmac } from 'node:crypto';
import { type Platform, type PlatformAnswer, type PlatformRequest, startPlatform } from './startPlatform.ts';
import type { Json } from './startTestApi.ts';

export type Aws = Platform & { accessKeyId: string; secretAccessKey: string; messages: Json[] };

const accessKeyId = 'AKIDEXAMPLE0000000001';
const secretAccessKey = 'aws-secret-of-the-test';

/** A stand-in for SNS and SQS: it checks the signature as it arrived, by the documents of AWS, and the parameters of each call. */
export async function startAws(region = 'eu-central-1'): Promise<Aws> {
  const messages: Json[] = [];
  const judge = (request: PlatformRequest): PlatformAnswer => {
    const service = request.headers['x-amz-target'] ? 'sqs' : 'sns';
    if (!isSigned(request, region, service))
      return { status: 403, body: `<Code>SignatureDoesNotMatch</Code> ${request.headers.authorization}` };
    const fault = service === 'sqs' ? sqsFault(request) : snsFault(request);
    if (fault) return { status: 400, body: { __type: 'InvalidParameterValue', message: fault } };
    messages.push(service === 'sqs' ? request.body : Object.fromEntries(new URLSearchParams(request.text)));
    return { status: 200, body: { MessageId: '1' } };
  };
  return { ...(await startPlatform(judge)), accessKeyId, secretAccessKey, messages };
}

/** Only POST requests to `/` without a query, which is all that these services take. */
function isSigned(
  { method, path, headers, text }: PlatformRequest,
  region: string,
  service: string,
): boolean {
  const signed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^,]+), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, id, scope = '', names = '', signature] = signed.exec(headers.authorization ?? '') ?? [];
  const date = headers['x-amz-date'] ?? '';
  if (method !== 'POST' || path !== '/' || id !== accessKeyId) return false;
  if (scope !== `${date.slice(0, 8)}/${region}/${service}/aws4_request` || !names.split(';').includes('host'))
    return false;
  const hash = (value: string) => createHash('sha256').update(value).digest('hex');
  const mac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest();
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${hash(text)}`;
  let key: string | Buffer = `AWS4${secretAccessKey}`;
  for (const part of scope.split('/')) key = mac(key, part);
  return mac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash(canonical)}`).toString('hex') === signature;
}

function sqsFault({ headers, body, text }: PlatformRequest): string | undefined {
  if (headers['content-type'] !== 'application/x-amz-json-1.0') return 'content type';
  if (headers['x-amz-target'] !== 'AmazonSQS.SendMessage') return 'unknown operation';
  if (typeof body?.QueueUrl !== 'string' || typeof body.MessageBody !== 'string') return 'missing parameter';
  if (Buffer.byteLength(text) > 256 * 1024) return 'larger than 256 KB';
  return fifoFault(body.QueueUrl, body);
}

function snsFault({ headers, text }: PlatformRequest): string | undefined {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return 'content type';
  const fields = Object.fromEntries(new URLSearchParams(text));
  const { Action, Version, TopicArn = '', Message, Subject } = fields;
  if (Action !== 'Publish' || Version !== '2010-03-31' || !Message) return 'missing parameter';
  if (!/^arn:aws:sns:[a-z0-9-]+:\d{12}:/.test(TopicArn)) return 'TopicArn';
  if (Buffer.byteLength(Message) > 256 * 1024) return 'larger than 256 KB';
  if (Subject !== undefined && !/^[\x21-\x7e][\x20-\x7e]{0,99}$/.test(Subject)) return 'Subject';
  return fifoFault(TopicArn, fields);
}

function fifoFault(name: string, { MessageGroupId, MessageDeduplicationId }: Json): string | undefined {
  if (!name.endsWith('.fifo')) return MessageDeduplicationId === undefined ? undefined : 'not a FIFO';
  return MessageGroupId && MessageDeduplicationId ? undefined : 'MessageGroupId is required';
}
