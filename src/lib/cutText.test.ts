import { describe, expect, it } from 'vitest';
import { cutText } from './cutText.ts';

describe('cutText', () => {
  it('leaves no half of a character at the end', () => {
    expect(cutText('ab🦊cd', 3)).toBe('ab');
    expect(cutText('ab🦊cd', 4)).toBe('ab🦊');
    for (let most = 0; most < 12; most++) expect(cutText('🦊é🦊漢🦊a🦊', most).isWellFormed()).toBe(true);
  });

  it('leaves a text that is short enough as it is', () => {
    expect(cutText('ab🦊', 4)).toBe('ab🦊');
    expect(cutText('', 4)).toBe('');
  });
});
