import { gzipSync } from 'node:zlib';

export type BadRequest = {
  what: string;
  raw: string | Uint8Array;
  headers?: Record<string, string>;
  status: number;
  code: string;
};

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))));
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const made = new Map<number, BadRequest[]>();

/** Bodies that are wrong as a whole, whatever the endpoint takes. */
export function badBodies(limit: number): BadRequest[] {
  const known = made.get(limit) ?? make(limit);
  made.set(limit, known);
  return known;
}

function make(limit: number): BadRequest[] {
  const large = `{"a":"${'x'.repeat(limit - 7)}"}`;
  return [
    ...malformed.map(([what, raw]) => ({ what, raw, status: 400, code: 'malformed-json' })),
    ...['[]', '[{}]', '"text"', '1', 'true', 'null', '1e400'].map((raw) => ({
      what: raw,
      raw,
      status: 400,
      code: 'invalid-input',
    })),
    ...otherTypes.map((type) => ({
      what: `content type ${type || 'missing'}`,
      raw: '{}',
      headers: { 'content-type': type },
      status: 415,
      code: 'unsupported-media-type',
    })),
    ...encoded(limit),
    { what: 'one byte over the limit', raw: large, status: 413, code: 'too-large' },
    {
      what: 'one byte over the limit, in chunks',
      raw: large,
      headers: { 'content-length': '', 'transfer-encoding': 'chunked' },
      status: 413,
      code: 'too-large',
    },
  ];
}

const malformed: [what: string, raw: string | Uint8Array][] = [
  ['an open object', '{'],
  ['an open array', '[1'],
  ['an open text', '{"a":"'],
  ['single quotes', "{'a':1}"],
  ['a comma at the end', '{"a":1,}'],
  ['a comment', '{}//'],
  ['two values', '{}{}'],
  ['a bare word', 'name'],
  ['NaN', '{"a":NaN}'],
  ['a leading zero', '{"a":01}'],
  ['white space', ' \n'],
  ['a raw NUL', '\u0000'],
  ['a raw line break in a text', '{"a":"\n"}'],
  ['65 levels', deep(65)],
  ['65 levels in an object', `{"a":${deep(64)}}`],
  ['100,000 levels', deep(100_000)],
  ['100,000 levels that never close', '{"a":'.repeat(100_000)],
  ['a byte that is not UTF-8', bytes('{"a":"', 0xff, '"}')],
  ['an overlong form', bytes('{"a":"', 0xc0, 0xaf, '"}')],
  ['a surrogate in UTF-8', bytes('{"a":"', 0xed, 0xa0, 0x80, '"}')],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
];

const otherTypes = [
  '',
  'text/plain',
  'text/json',
  'application/xml',
  'application/jsonp',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'nonsense',
];

function encoded(limit: number): BadRequest[] {
  const packed = gzipSync('{"a":1}');
  const as = (encoding: string) => ({ 'content-encoding': encoding });
  const refused = { status: 400, code: 'malformed-json' };
  return [
    { what: 'gzip that is none', raw: '{"a":1}', headers: as('gzip'), ...refused },
    { what: 'deflate that is none', raw: '{"a":1}', headers: as('deflate'), ...refused },
    { what: 'gzip cut short', raw: packed.subarray(0, -6), headers: as('gzip'), ...refused },
    { what: 'gzip with a flipped bit', raw: flipped(packed), headers: as('gzip'), ...refused },
    { what: 'an unknown encoding', raw: packed, headers: as('zip'), ...refused },
    {
      what: 'gzip of far more than the limit',
      raw: gzipSync(Buffer.alloc(limit + 1, ' ')),
      headers: as('gzip'),
      status: 413,
      code: 'too-large',
    },
  ];
}

/** In the checksum at the end. */
function flipped(packed: Buffer): Buffer {
  const copy = Buffer.from(packed);
  copy[copy.length - 6]! ^= 1;
  return copy;
}
