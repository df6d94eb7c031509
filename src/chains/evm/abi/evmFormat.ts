import { defineFormat, isAccepted } from '../../../model/formats.ts';
import { parseEvent, parseFunction } from './abi.ts';

/** Formats of schema members that only EVM chains have. */
export const evmFormat = {
  address: defineFormat('address', {
    test: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
    words: 'must be an address such as 0xdAC17F958D2ee523a2206206994597C13D831ec7',
  }),
  asset: defineFormat('asset', {
    test: (text) => /^(native|0x[0-9a-fA-F]{40})$/.test(text),
    words: 'must be native, or the address of a token',
  }),
  addressCsv: defineFormat('addressCsv', {
    test: (text) =>
      text
        .split(/\r?\n/)
        .every((line) => line === '' || /^0x[0-9a-fA-F]{40}(,\s*(\d{1,2}|100)?\s*(,.*)?)?$/.test(line)),
    words:
      'must have lines of address, score, tags and name such as "0x8589427373d6d84e98730d7795d8f6f8731fda16,90,MIXER;SANCTION,Router", without a headline',
  }),
  eventSignature: defineFormat('eventSignature', {
    test: (text) => isAccepted(parseEvent, text),
    words: 'must be an event such as Transfer(address indexed from, address indexed to, uint256 value)',
  }),
  functionSignature: defineFormat('functionSignature', {
    test: (text) => isAccepted(parseFunction, text),
    words: 'must be a function such as transfer(address to, uint256 amount) or balanceOf(address)(uint256)',
  }),
};
