import type { Reader } from '../../model/detection.ts';
import type { StateRead } from '../../model/stateRead.ts';
import { eventTopic, functionSelector } from './abi.ts';

type Pointing = Extract<StateRead, { type: 'storage' | 'call' | 'code' }>;

/** A read that says which code runs, with its answer: as long as all pointers answer the same, the code is the same. */
export type CodePointer = readonly [read: Pointing, answer: string];

export type LocatedCode = {
  /** Contract whose code runs; null when it is the contract's own. */
  readonly implementation: string | null;
  readonly beacon?: string;
  readonly pointers: readonly CodePointer[];
};

/** Yields what must be read, and takes the answers: the word, the code, or what the call returns (0x when it fails). */
type Search<T> = Generator<readonly Pointing[], T, readonly string[]>;

/**
 * Storage slots in which proxies keep the address of their code: EIP-1967, zeppelinos (USDC and its contemporaries),
 * EIP-1822, EIP-1967's beacon.
 */
export const proxySlots = {
  implementation: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  zeppelin: eventTopic('org.zeppelinos.proxy.implementation'),
  proxiable: '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
};
const slotList = Object.values(proxySlots);
const firstSlot = `0x${'0'.repeat(64)}`;

const askImplementation = functionSelector('implementation()');
const askMasterCopy = functionSelector('masterCopy()');
const askComptroller = functionSelector('comptrollerImplementation()');

/** A proxy before a proxy before a proxy is as deep as it gets. */
const maxHops = 4;

/** The code behind a proxy of any usual kind, through as many proxies as there are. */
export function* searchCode(address: string): Search<LocatedCode> {
  const pointers: CodePointer[] = [];
  const seen = [address];
  let beacon: string | undefined;
  for (let hop = 0; hop < maxHops; hop++) {
    const found: Hop = yield* nextHop(seen.at(-1)!, hop === 0);
    pointers.push(...found.pointers);
    beacon ??= found.beacon;
    if (found.next === undefined || seen.includes(found.next)) break;
    seen.push(found.next);
  }
  const implementation = seen.length === 1 ? null : seen.at(-1)!;
  return { implementation, ...(beacon && { beacon }), pointers };
}

type Hop = { next: string | undefined; beacon?: string; pointers: CodePointer[] };

/** Beyond slots, only the first contract's answers are trusted: further contracts are no proxies to the outside. */
function* nextHop(address: string, isFirst: boolean): Search<Hop> {
  const reads = slotList.map((key): Pointing => ({ type: 'storage', address, key }));
  const words = yield reads;
  const held = words.map(wordAddress);
  const pointers = reads.flatMap((read, index): CodePointer[] =>
    held[index] === undefined ? [] : [[read, words[index]!]],
  );
  const [direct, zeppelin, proxiable, beacon] = held;
  if (beacon !== undefined) {
    const read: Pointing = { type: 'call', to: beacon, data: askImplementation };
    const [answer = '0x'] = yield [read];
    return { next: direct ?? wordAddress(answer), beacon, pointers: [...pointers, [read, answer]] };
  }
  const slotted = direct ?? zeppelin ?? proxiable;
  if (slotted !== undefined) return { next: slotted, pointers };
  const codeRead: Pointing = { type: 'code', address };
  const [code = '0x'] = yield [codeRead];
  const clone = cloneTarget(code);
  if (clone !== undefined) return { next: clone.target, pointers: clone.isFixed ? [] : [[codeRead, code]] };
  return isFirst && code !== '0x' ? yield* askedHop(address) : { next: undefined, pointers: [] };
}

/** Proxies that answer for it: Safes, which keep it in their first slot, Compound's, EIP-897 and beacons. */
function* askedHop(address: string): Search<Hop> {
  const first: Pointing = { type: 'storage', address, key: firstSlot };
  const calls = [askMasterCopy, askComptroller, askImplementation].map(
    (data): Pointing => ({ type: 'call', to: address, data }),
  );
  const [word = '0x', ...answers] = yield [first, ...calls];
  const safe = wordAddress(answers[0]!);
  if (safe !== undefined && safe === wordAddress(word)) return { next: safe, pointers: [[first, word]] };
  const index = answers.findIndex((answer, n) => n > 0 && wordAddress(answer) !== undefined);
  if (index < 0) return { next: undefined, pointers: [] };
  return { next: wordAddress(answers[index]!), pointers: [[calls[index]!, answers[index]!]] };
}

/** Minimal proxies (EIP-1167 and its kin) carry the address in code that never changes, accounts of EIP-7702 in code that does. */
function cloneTarget(code: string): { target: string; isFixed: boolean } | undefined {
  const delegated = /^0xef0100([0-9a-f]{40})$/.exec(code)?.[1];
  if (delegated !== undefined) return { target: `0x${delegated}`, isFixed: false };
  // Within the first bytes: push 20 bytes, gas, delegatecall.
  const target = /^0x(?:[0-9a-f]{2}){5,40}?73([0-9a-f]{40})5af4/.exec(code)?.[1];
  return target === undefined ? undefined : { target: `0x${target}`, isFixed: true };
}

/** The address in a word that holds nothing else. */
function wordAddress(word: string): string | undefined {
  const padded = word.slice(2).padStart(64, '0').toLowerCase();
  const isAddress = padded.length === 64 && /^0{24}/.test(padded) && !/^0{60}/.test(padded);
  return isAddress ? `0x${padded.slice(24)}` : undefined;
}

type Moment = 'block' | 'parent';

/** The same for a detector. */
export function locateCode(read: Reader, address: string, moment: Moment = 'block'): LocatedCode {
  const search = searchCode(address);
  let step = search.next();
  while (!step.done) {
    const reads = step.value;
    step = search.next(readAll(read, reads, moment));
  }
  return step.value;
}

/** True if every pointer answers as before; nothing else must be read while nothing changes. */
export function isCodeInPlace(read: Reader, pointers: readonly CodePointer[]): boolean {
  const answers = readAll(
    read,
    pointers.map(([pointer]) => pointer),
    'block',
  );
  return pointers.every(([, answer], index) => answers[index] === answer);
}

function readAll(read: Reader, reads: readonly Pointing[], moment: Moment): readonly string[] {
  return read.all(
    reads.map((question) => () => {
      switch (question.type) {
        case 'storage':
          return read.storage(question.address, question.key, moment);
        case 'code':
          return read.code(question.address, moment);
        case 'call': {
          const answer = read.call(question.to, question.data, moment);
          return 'data' in answer ? answer.data : '0x';
        }
      }
    }),
  );
}
