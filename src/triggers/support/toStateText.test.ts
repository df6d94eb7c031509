import { expect, it } from 'vitest';
import { storableJson } from '../../lib/json.ts';
import { toStateText } from './toStateText.ts';

it('is the same after it was stored, so that a restart is no change', () => {
  for (const value of ['a\0b', '\ud83d', '🙂', { text: 'a\0b' }, 5n, true, undefined, ['\0'.repeat(2000)]]) {
    const text = toStateText(value);
    expect(JSON.parse(storableJson(text))).toBe(text);
  }
});
