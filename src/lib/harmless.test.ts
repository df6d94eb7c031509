import { describe, expect, it } from 'vitest';
import { harmless } from './harmless.ts';

describe('harmless', () => {
  it.each([
    ['USDC', 'USDC'],
    ['USDC.e', 'USDC.e'],
    ['USD₮0', 'USD₮0'],
    ['stETH-1.5x', 'stETH-1.5x'],
    ['$WIF #1 (v2)', '$WIF #1 (v2)'],
    ['0x5FbDB2315678afecb367f032d93F642f64180aa3', '0x5FbDB2315678afecb367f032d93F642f64180aa3'],
    ['Visit https://claim.evil.com/x now', 'Visit https[:]//claim[.]evil[.]com/x now'],
    ['claim-evil.com', 'claim-evil[.]com'],
    ['ｅｖｉｌ．ｃｏｍ', 'evil[.]com'],
    ['evil。com', 'evil[.]com'],
    ['127.0.0.1/x', '127[.]0[.]0.1/x'],
    ['tg://resolve?domain=evil', 'tg[:]//resolve?domain=evil'],
    ['@channel @everyone', '(at)channel (at)everyone'],
    ['＠here', '(at)here'],
    ['me@evil.com', 'me(at)evil[.]com'],
    ['<!channel>', '‹!channel›'],
    ['<https://evil.com|USDC>', '‹https[:]//evil[.]com|USDC›'],
    ['<b onclick=alert(1)>', '‹b onclick=alert(1)›'],
    ['[USDC](https://evil.com)', '[USDC](https[:]//evil[.]com)'],
    ['**bold** `code` ~~gone~~', "∗∗bold∗∗ 'code' ∼∼gone∼∼"],
    ['/stop', 'stop'],
    ['a/b', 'a/b'],
    ['\u202ECDSU\u2066', 'CDSU'],
    ['US\u200bDC', 'US DC'],
    ['US\u3164DC', 'US DC'],
    ['a\r\nBcc: b\u2028c\0', 'a Bcc: b c'],
    ['{message}', '(message)'],
    [`Z${'\u0335'.repeat(40)}`, 'Z\u0335\u0335'],
    ['\ud800x', 'x'],
  ])('shows %j as %j', (text, shown) => {
    expect(harmless(text, 100)).toBe(shown);
    expect(harmless(shown, 100), 'twice').toBe(shown);
  });

  it('is cut, never through a character', () => {
    expect(harmless('x'.repeat(100_000), 32)).toBe(`${'x'.repeat(31)}…`);
    expect(harmless('😀'.repeat(20), 10)).toBe(`${'😀'.repeat(4)}…`);
  });
});
