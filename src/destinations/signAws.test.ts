import { expect, it } from 'vitest';
import { signAws } from './signAws.ts';

const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const now = Date.UTC(2015, 7, 30, 12, 36, 0);
const form = 'application/x-www-form-urlencoded';

/** Requests and signatures of the documents of AWS and of its test suite for Signature Version 4. */
it.each([
  [
    'GET',
    'https://example.amazonaws.com/',
    {},
    '',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'GET',
    'https://example.amazonaws.com/?Param2=value2&Param1=value1',
    {},
    '',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'POST',
    'https://example.amazonaws.com/',
    {},
    '',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'POST',
    'https://example.amazonaws.com/',
    { 'Content-Type': form },
    'Param1=value1',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('signs %s %s as documented', (method, uri, headers, body, signature) => {
  const { authorization } = signAws({ method, uri, headers, body }, key, {
    region: 'us-east-1',
    service: 'service',
    now,
  }).headers;
  expect(authorization).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request');
  expect(authorization).toContain(`Signature=${signature}`);
});

it('signs the worked example of the documents', () => {
  const made = {
    method: 'GET',
    uri: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
    headers: { 'content-type': `${form}; charset=utf-8` },
    body: '',
  };
  const signed = signAws(made, key, { region: 'us-east-1', service: 'iam', now });
  expect(signed.headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  );
});
