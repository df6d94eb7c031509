import { eventTopic } from '../../codecs/evm/abi.ts';

/** More than this is of no use to a reader and a burden to what is kept from block to block. */
const maxCharacters = 1000;

/**
 * A decoded value as distinguishing text; a very long one as its hash. The store must return it unchanged, because a
 * difference would count as a change of the value.
 */
export function toStateText(value: unknown): string {
  const text = toText(value).toWellFormed().replaceAll('\0', '\ufffd');
  return text.length > maxCharacters ? eventTopic(text) : text;
}

/** The value again, for a sentence; `like` is a value of the same type. */
export function fromStateText(text: string, like: unknown): unknown {
  return typeof like === 'object' && /^[[{]/.test(text) ? JSON.parse(text) : text;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  const json: string | undefined = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  );
  return json ?? 'nothing';
}
