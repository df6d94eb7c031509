import { describe, expect, it } from 'vitest';
import { connectionFault } from './connectionFault.ts';

const failed = (code: string, message = 'connect to 10.0.0.7:443, secret=hush') =>
  Object.assign(new Error(message), { code });

describe('the words for a failed connection', () => {
  it('are Vigil’s own and reveal no addresses or secrets of the error', () => {
    const codes = [
      'ECONNREFUSED',
      'ECONNRESET',
      'ENOTFOUND',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'EWHATEVER',
      'a\r\nb',
      '',
    ];
    for (const code of codes) {
      const words = connectionFault(failed(code), 15_000);
      expect(words).toMatch(/^[A-Z][\w ()]+\.$/);
      expect(words).not.toMatch(/hush|10\.0\.0\.7/);
    }
    expect(connectionFault('hush', 15_000)).toBe('The connection failed.');
  });

  it('name the time limit and the guard where these are the reason', () => {
    expect(connectionFault(new DOMException('', 'TimeoutError'), 15_000)).toBe(
      'The receiver did not respond within 15 s.',
    );
    expect(connectionFault(new Error('a.example leads to a private or reserved network'), 1)).toBe(
      'The name of the receiver resolves to a private or reserved network.',
    );
  });
});
