/** A type of Candid with the names of others in it. */
export type CandidType =
  | string
  | { readonly opt: CandidType }
  | { readonly vec: CandidType }
  | { readonly record: readonly Field[] }
  | { readonly variant: readonly Field[] }
  | { readonly name: string };
type Field = readonly [name: string, type: CandidType];
type CandidMethod = {
  readonly args: readonly Field[];
  readonly results: readonly Field[];
  readonly isQuery: boolean;
};
export type Candid = {
  readonly types: ReadonlyMap<string, CandidType>;
  readonly methods: ReadonlyMap<string, CandidMethod>;
};

const plain =
  'nat nat8 nat16 nat32 nat64 int int8 int16 int32 int64 float32 float64 bool text null principal blob reserved empty'.split(
    ' ',
  );
const maxLength = 200_000;
const maxDepth = 50;

/** The methods and types of a `.did` text. Throws a RangeError that says where it is not Candid. */
export function parseCandid(text: string): Candid {
  if (text.length > maxLength) throw new RangeError(`must have at most ${maxLength} characters.`);
  const tokens = [
    ...text
      .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
      .matchAll(/"(?:[^"\\]|\\.)*"|->|[A-Za-z_]\w*|\d[\d_]*|[{}();:,=]|\S/g),
  ].map(([token]) => token);
  let index = 0;
  const types = new Map<string, CandidType>();
  const services = new Map<string, ReadonlyMap<string, CandidMethod>>();
  let methods: ReadonlyMap<string, CandidMethod> | undefined;

  const peek = () => tokens[index] ?? '';
  const isNext = (token: string) => {
    if (peek() !== token) return false;
    index++;
    return true;
  };
  function expect(token: string): void {
    if (!isNext(token))
      throw new RangeError(
        `is not Candid: ${token} is expected before "${tokens.slice(index, index + 4).join(' ')}".`,
      );
  }
  function name(): string {
    const token = peek();
    index++;
    if (token.startsWith('"')) return token.slice(1, -1);
    if (/^\w+$/.test(token)) return token;
    throw new RangeError(`is not Candid: a name is expected in place of "${token}".`);
  }

  function type(depth = 0): CandidType {
    if (depth > maxDepth) throw new RangeError('has types that go too deep.');
    const token = name();
    if (token === 'opt') return { opt: type(depth + 1) };
    if (token === 'vec') return { vec: type(depth + 1) };
    if (token === 'record') return { record: fields(depth, false) };
    if (token === 'variant') return { variant: fields(depth, true) };
    if (token === 'func') {
      signature(depth);
      return 'func';
    }
    if (token === 'service') {
      service(depth);
      return 'service';
    }
    return plain.includes(token) ? token : { name: token };
  }

  /** Without a name a member of a record has its place, and one of a variant no value. */
  function fields(depth: number, isVariant: boolean): Field[] {
    expect('{');
    const list: Field[] = [];
    while (!isNext('}')) {
      const isNamed = tokens[index + 1] === ':';
      if (isNamed) {
        const fieldName = name();
        index++;
        list.push([fieldName, type(depth + 1)]);
      } else list.push(isVariant ? [name(), 'null'] : [String(list.length), type(depth + 1)]);
      if (!isNext(';') && peek() !== '}') expect(';');
    }
    return list;
  }

  function tuple(depth: number): Field[] {
    expect('(');
    const list: Field[] = [];
    while (!isNext(')')) {
      const argName = tokens[index + 1] === ':' ? name() : `arg${list.length}`;
      isNext(':');
      list.push([argName, type(depth + 1)]);
      if (!isNext(',') && peek() !== ')') expect(',');
    }
    return list;
  }

  function signature(depth: number): CandidMethod {
    const args = tuple(depth);
    expect('->');
    const results = tuple(depth);
    let isQuery = false;
    while (['query', 'composite_query', 'oneway'].includes(peek())) if (name() !== 'oneway') isQuery = true;
    return { args, results, isQuery };
  }

  function service(depth: number): Map<string, CandidMethod> {
    isNext(':');
    if (peek() === '(') {
      tuple(depth);
      expect('->');
    }
    if (peek() !== '{') return new Map(services.get(name()) ?? []);
    expect('{');
    const methods = new Map<string, CandidMethod>();
    while (!isNext('}')) {
      const methodName = name();
      expect(':');
      if (peek() === '(') methods.set(methodName, signature(depth));
      else name();
      if (!isNext(';') && peek() !== '}') expect(';');
    }
    return methods;
  }

  while (index < tokens.length) {
    if (isNext('type')) {
      const typeName = name();
      expect('=');
      if (peek() === 'service') {
        index++;
        services.set(typeName, service(0));
      } else types.set(typeName, type());
    } else if (isNext('service')) {
      if (peek() !== ':' && peek() !== '{') name();
      methods = service(0);
    } else if (isNext('import'))
      throw new RangeError('must not import other files: put their types into the text.');
    else expect('service');
    isNext(';');
  }
  if (!methods) throw new RangeError('has no service, such as service : { pause : () -> () }.');
  return { types, methods };
}
