import { describe, expect, it } from 'vitest';
import { createRedact, maskEndpoint, maskOrigin } from './maskEndpoint.ts';

describe('the address of an endpoint', () => {
  it.each([
    ['https://rpc.example.com/', 'https://rpc.example.com'],
    ['http://10.0.0.7:8545', 'http://10.0.0.7:8545'],
    ['ws://[::1]:8546/ws', 'ws://[::1]:8546/ws'],
    ['https://eth.example.com/v2/aB3dE5fG7hI9', 'https://eth.example.com/v2/[sealed]'],
    ['https://x.example.com/ext/bc/C/rpc/', 'https://x.example.com/ext/bc/C/rpc/'],
    ['https://x.example.com/hunter', 'https://x.example.com/[sealed]'],
    ['https://x.example.com/rpc?apikey=abcdef', 'https://x.example.com/rpc?[sealed]'],
    ['https://user:pass@x.example.com', 'https://[sealed]@x.example.com'],
    ['wss://0123456789abcdef0123456789abcdef.eth.example.com/v3', 'wss://[sealed].eth.example.com/v3'],
  ])('%s is shown as %s', (address, shown) => {
    expect(maskEndpoint(address)).toBe(shown);
    expect(shown.startsWith(maskOrigin(address))).toBe(true);
  });

  it('loses its keys in what the server repeats of it', () => {
    const redact = createRedact('https://us%20er:passwort@x.example.com/v2/key%2F1?token=tok3n&x=1');
    expect(redact('us er us%20er passwort key/1 key%2F1 tok3n token=tok3n&x=1 v2')).toBe(
      '[sealed] [sealed] [sealed] [sealed] [sealed] [sealed] [sealed] v2',
    );
    expect(createRedact('https://x.example.com/v2')('x.example.com/v2 says no')).toBe(
      'x.example.com/v2 says no',
    );
  });
});
