import { describe, expect, it } from 'vitest';
import { createMatcher } from './createMatcher.ts';
import { createSubject } from './createSubject.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import { resolve } from './resolve.ts';

const mapping = createMapping({
  uid: 'keyword',
  txHash: 'foldedKeyword',
  tags: 'keyword',
  message: 'text',
  'message.keyword': 'keyword',
  i: 'long',
  score: 'double',
  timestamp: 'date',
  meta: 'dynamic',
});
const now = Date.UTC(2026, 0, 1);
const alert = {
  uid: 'a-1',
  txHash: '0xAbC1',
  tags: ['defi', null, ['nested']],
  message: 'Owner changed to vault.eth',
  i: 7,
  score: -0,
  timestamp: now,
  meta: {
    token: 'USD Coin',
    amount: 500,
    share: 12.5,
    paused: true,
    ownerAddress: '0xDeAd',
    note: '',
    gone: null,
    empty: [],
    transfers: [
      { to: 'alice', value: 1 },
      { to: 'bob', value: 2 },
    ],
    deep: { er: { still: 'Here I am' } },
    keyword: 'plain',
    text: '!!!',
  },
};

function matches(query: string, document: unknown = alert): boolean {
  return createMatcher(resolve(parseQuery(query), mapping, now))(createSubject(document));
}

function expectMatches(fitting: string[], other: string[]): void {
  expect(fitting.filter((query) => !matches(query))).toEqual([]);
  expect(other.filter((query) => matches(query))).toEqual([]);
}

describe('hashes and addresses', () => {
  it('are found in either case by value, prefix, wildcard, regular expression and range', () => {
    expectMatches(
      [
        'txHash:0xabc1',
        'txHash:0XABC1',
        'txHash:0xAB*',
        'txHash:*BC?',
        'txHash:/0XA.*/',
        'txHash:[0xABC0 TO 0xABC2]',
        '0XABC1',
      ],
      ['txHash:0xabc2', 'txHash:abc1', 'uid:A-1'],
    );
  });

  it('are folded below meta where the member is called so', () => {
    expectMatches(
      ['meta.ownerAddress.keyword:0xdead', 'meta.ownerAddress.keyword:0XDE*'],
      ['meta.token.keyword:"usd coin"'],
    );
  });
});

describe('members of meta', () => {
  it('have the type of their value', () => {
    expectMatches(
      [
        'meta.token:coin',
        'meta.token.keyword:"USD Coin"',
        'meta.amount:500',
        'meta.amount:[499.5 TO 501}',
        'meta.share:>12.4',
      ],
      [
        'meta.token.keyword:USD',
        'meta.amount:[500 TO 500}',
        'meta.amount:5*',
        'meta.amount:/500/',
        'meta.share:12',
        'meta.token:[0 TO 1]',
      ],
    );
    expectMatches(
      ['meta.paused:true', 'meta.paused:[* TO true]'],
      ['meta.paused:false', 'meta.paused:t*', 'meta.amount.keyword:500'],
    );
  });

  it('are reached through objects and arrays of objects', () => {
    expectMatches(
      [
        'meta.transfers.to:bob',
        'meta.transfers.value:[2 TO *]',
        'meta.deep.er.still:"i am"',
        'meta.deep.er.still.keyword:Here*',
      ],
      ['meta.transfers.to:carol', 'meta.deep.er:here', 'meta.deep:here', 'meta:here', 'meta.transfers:bob'],
    );
  });

  it('are all searched by a query without a field and by patterns', () => {
    expectMatches(
      [
        'bob',
        '500',
        'true',
        '"here i am"',
        'meta.\\*:bob',
        'me\\*:coin',
        'meta.t\\*.to:alice',
        '\\*.keyword:"USD Coin"',
        '[500 TO 500]',
      ],
      ['carol', '501', 'meta.x\\*:bob', 'uid\\*:bob', 'meta.\\*.keyword:coin'],
    );
  });

  it('may be called keyword', () => {
    expectMatches(['meta.keyword:plain', 'meta.keyword.keyword:plain'], ['meta.keyword.keyword:PLAIN']);
  });

  it('exist if they hold a value, however deep', () => {
    expectMatches(
      [
        '_exists_:meta',
        '_exists_:meta.note',
        'meta.deep:*',
        'meta.transfers:*',
        '_exists_:"meta.d*"',
        'meta.token.keyword:*',
        '_exists_:"*"',
      ],
      [
        '_exists_:meta.gone',
        '_exists_:meta.empty',
        '_exists_:meta.nothing',
        'meta.amount.keyword:*',
        '_exists_:"meta.x*"',
        '_exists_:me',
      ],
    );
    expect(matches('_exists_:meta', { meta: { a: { b: [null, {}] } } })).toBe(false);
  });

  it('members of meta without words count as not written, as in a text field', () => {
    expectMatches(
      ['uid:a-1 AND meta.token:"!!!"', 'uid:a-1 OR meta.token:"!!!"'],
      ['NOT meta.token:"!!!"', 'NOT message:"!!!"'],
    );
  });

  it('cannot be reached by the names every object has', () => {
    expect(matches('uid:inherited', Object.create({ uid: 'inherited' }))).toBe(false);
    expectMatches(
      [],
      [
        'meta.constructor:*',
        'meta.__proto__:*',
        'meta.toString.name:*',
        'constructor:*',
        'meta..token:*',
        'meta.:*',
      ],
    );
  });
});

describe('values', () => {
  it('values of an array fit one by one, those that are null never', () => {
    expectMatches(
      ['tags:defi', 'tags:nested', 'tags:(defi AND nested)'],
      ['tags:null', 'tags:"defi,nested"', 'tags:(NOT defi)'],
    );
  });

  it('values that are -0 equal 0 and are neither below nor above it', () => {
    expectMatches(
      ['score:0', 'score:"-0"', 'score:[0 TO 0]', 'score:>=0'],
      ['score:<0', 'score:>0', 'score:{0 TO *]', 'score:{"-0" TO *]'],
    );
  });

  it('values of a number field accept any decimal notation, and nothing else', () => {
    expectMatches(
      ['i:7', 'i:7.0', 'i:0.7e1', 'i:07', 'i:"+7"', 'i:<=7.9', 'i:{6.9 TO 7.1}'],
      ['i:7.5', 'i:0x7', 'i:7d', 'i:"7 "', 'i:Infinity', 'i:<1e30', 'i:<1e999', 'i:>7', 'i:{7 TO 8}'],
    );
  });

  it('values of a keyword field may be numbers in the document', () => {
    expect(matches('uid:7', { uid: 7 })).toBe(true);
  });

  it('compare by code point, not by UTF-16 unit', () => {
    expect(matches('uid:{\uffff TO *]', { uid: '😀' })).toBe(true);
    expect(matches('uid:{😀 TO *]', { uid: '\uffff' })).toBe(false);
  });
});

describe('comparison signs', () => {
  it('make a range wherever an unquoted text starts with them', () => {
    expectMatches(
      ['i:>6', 'i:\\>6', 'i:<\\*', 'uid:>=a', 'uid:>=', 'timestamp:>=now', 'i:(>6 AND <8)'],
      ['i:>', 'i:">6"', 'uid:<=', 'i:(>6 <8)', 'timestamp:>now'],
    );
  });
});

describe('limits', () => {
  it('keep a text at 1,024 words and a wildcard pattern at 1,000 characters', () => {
    expect(matches(`message:"${'owner '.repeat(1_024)}"`)).toBe(false);
    expect(() => matches(`message:"${'owner '.repeat(1_025)}"`)).toThrow(/1024 words/);
    expect(matches(`uid:*${'a'.repeat(998)}*`)).toBe(false);
    expect(() => matches(`uid:*${'a'.repeat(999)}*`)).toThrow(/1000 characters/);
  });

  it('refuse regular expressions that are too complex together', () => {
    expect(() => matches('i:1 OR uid:/(a{900}){900}/')).toThrow('Cannot read the query at column 12');
    expect(() => matches('uid:/a{999}/ uid:/b{999}/ uid:/c{999}/')).toThrow('column 31');
    expect(matches('uid:/a{900}/ tags:/a{900}/ message:/a{900}/')).toBe(false);
  });
});
