/** Sent as text into QuickJS, so the functions below may use nothing of this module but each other. */
export const lockDownCode = [lockDown, lower, removeClock, findReachable].map(String).join('\n');

/** Removes everything nondeterministic and freezes the rest, so that no script leaves a trace for the next. */
function lockDown(getters: object): void {
  const allowed = new Set<string | symbol>(
    `AggregateError Array BigInt Boolean Date Error EvalError Infinity Iterator JSON Map Math NaN Number Object
    RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakSet
    decodeURI decodeURIComponent encodeURI encodeURIComponent globalThis isFinite isNaN lower parseFloat parseInt
    undefined`.split(/\s+/),
  );
  const items = [1].values();
  const hidden: object[] = [
    getters,
    function* () {},
    async () => {},
    async function* () {},
    items,
    Reflect.apply(Reflect.get(items, 'map'), items, [() => 1]),
    Reflect.apply(Reflect.get(Reflect.get(globalThis, 'Iterator'), 'from'), undefined, [{ next() {} }]),
    ''[Symbol.iterator](),
    new Map().values(),
    new Set().values(),
    'a'.matchAll(/a/g),
    (async () => {})(),
  ];
  const concat = Reflect.get(Reflect.get(globalThis, 'Iterator'), 'concat');
  if (concat !== undefined) hidden.push(Reflect.apply(concat, undefined, [[1]]));

  removeClock();
  Object.defineProperty(globalThis, 'lower', { value: lower });
  for (const maker of [() => {}, function* () {}, async () => {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(maker), 'constructor', { value: undefined });
  }
  for (const name of Reflect.ownKeys(globalThis)) {
    if (!allowed.has(name)) Reflect.deleteProperty(globalThis, name);
  }
  for (const object of findReachable([globalThis, ...hidden])) Object.freeze(object);
}

/** A text in lower case, to compare texts without case; anything else stays what it is. */
function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** The sandbox has no current time, no time zone and no randomness: `Date` is UTC and requires an argument. */
function removeClock(): void {
  const RealDate = Date;
  const utc = RealDate.UTC;
  const toMs = (value: unknown): number => {
    if (typeof value !== 'string') return Number(value);
    if (!/(?:Z|[+-]\d\d:?\d\d)$|^\d{4}(?:-\d\d){0,2}$/.test(value)) {
      throw new RangeError('a date in words needs its time zone, such as 2026-01-31T12:00:00Z');
    }
    return RealDate.parse(value);
  };
  const refuse = (what: string) => () => {
    throw new Error(`${what} is not available: a script returns the same result each time`);
  };
  function UtcDate(...parts: [number, number, ...number[]] | [unknown] | []): object {
    if (new.target === undefined || parts.length === 0) refuse('the present time')();
    const [first, second, ...rest] = parts;
    const ms = second === undefined ? toMs(first) : utc(Number(first), second, ...rest);
    return Reflect.construct(RealDate, [ms], new.target);
  }
  const proto = RealDate.prototype;
  Object.defineProperty(UtcDate, 'prototype', { value: proto, writable: false });
  Object.defineProperty(UtcDate, 'name', { value: 'Date' });
  Object.defineProperty(UtcDate, 'length', { value: 7 });
  Object.assign(UtcDate, { UTC: utc, parse: toMs, now: refuse('the present time') });
  Object.defineProperty(proto, 'constructor', { value: UtcDate });
  for (const name of Reflect.ownKeys(proto)) {
    const part = typeof name === 'string' ? /^([gs]et)UTC(\w+)$/.exec(name) : null;
    if (part !== null) {
      Object.defineProperty(proto, `${part[1]}${part[2]}`, { value: Reflect.get(proto, name) });
    }
  }
  Object.defineProperty(proto, 'getTimezoneOffset', { value: () => 0 });
  Object.defineProperty(proto, 'toString', { value: proto.toUTCString });
  for (const name of ['toDateString', 'toTimeString', 'getYear', 'setYear']) {
    Reflect.deleteProperty(proto, name);
  }
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    Reflect.deleteProperty(proto, name);
  }
  Object.defineProperty(globalThis, 'Date', { value: UtcDate });
  Object.defineProperty(Math, 'random', { value: refuse('Math.random()') });
}

function findReachable(roots: readonly object[]): Set<object> {
  const objects = new Set<object>();
  const open: unknown[] = [...roots];
  while (open.length > 0) {
    const object = open.pop();
    if ((typeof object !== 'object' && typeof object !== 'function') || object === null) continue;
    if (objects.has(object)) continue;
    objects.add(object);
    open.push(Object.getPrototypeOf(object));
    for (const key of Reflect.ownKeys(object)) {
      const property = Reflect.getOwnPropertyDescriptor(object, key);
      open.push(property?.value, property?.get, property?.set);
    }
  }
  return objects;
}
