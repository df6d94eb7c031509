import { expect, it } from 'vitest';
import { mapAddresses } from './mapAddresses.ts';

it('replaces addresses wherever the formats of a schema say that there are some, and nothing else', () => {
  const schema = {
    properties: {
      token: { format: 'asset' },
      name: { type: 'string' },
      owners: { items: { format: 'address' } },
      nested: { items: { properties: { token: { format: 'address' } } } },
      csv: { format: 'addressCsv' },
    },
  };
  const pointers: string[] = [];
  const mapped = mapAddresses(
    schema,
    {
      token: 'native',
      name: 'Abc',
      owners: ['Abc'],
      nested: [{ token: 'Abc', n: 1 }],
      csv: 'Abc,9,X\r\nDef',
    },
    (address, pointer) => {
      pointers.push(pointer);
      return address.toLowerCase();
    },
    '/config',
  );
  expect(mapped).toEqual({
    token: 'native',
    name: 'Abc',
    owners: ['abc'],
    nested: [{ token: 'abc', n: 1 }],
    csv: 'abc,9,X\r\ndef',
  });
  expect(pointers).toEqual(['/config/owners/0', '/config/nested/0/token', '/config/csv', '/config/csv']);
});
