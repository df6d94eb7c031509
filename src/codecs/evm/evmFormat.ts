import { defineFormat, isAccepted } from '../../model/formats.ts';
import { parseEvent, parseFunction } from './abi.ts';

/** Of the EVM, or what may be one of another family; which of them is right the chain of the contract decides. */
const address = '(?:0x[0-9a-fA-F]{40}|(?!0x)[0-9A-Za-z][0-9A-Za-z-]{24,89})';
const [anAddress, anAsset, aRow] = [
  address,
  `native|energy|bandwidth|\\d{7}|${address}`,
  `${address}(,\\s*(\\d{1,2}|100)?\\s*(,.*)?)?`,
].map((form) => new RegExp(`^(?:${form})$`)) as [RegExp, RegExp, RegExp];

/** Names alone are found in an IDL, a spec or a Candid interface. */
const aName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** Formats of schema members with addresses, and of those that only chains of the EVM's dialect have. */
export const evmFormat = {
  address: defineFormat('address', {
    test: (text) => anAddress.test(text),
    words: 'must be an address such as 0xdAC17F958D2ee523a2206206994597C13D831ec7',
  }),
  asset: defineFormat('asset', {
    test: (text) => anAsset.test(text),
    words:
      'must be native, or the address of a token; on Tron also the id of a TRC-10 token, energy or bandwidth',
  }),
  addressCsv: defineFormat('addressCsv', {
    test: (text) => text.split(/\r?\n/).every((line) => line === '' || aRow.test(line)),
    words:
      'must have lines of address, score, tags and name such as "0x8589427373d6d84e98730d7795d8f6f8731fda16,90,MIXER;SANCTION,Router", without a headline',
  }),
  eventSignature: defineFormat('eventSignature', {
    test: (text) => aName.test(text) || isAccepted(parseEvent, text),
    words:
      'must be an event such as Transfer(address indexed from, address indexed to, uint256 value), or the name of one in an Anchor IDL',
  }),
  functionSignature: defineFormat('functionSignature', {
    test: (text) => isAccepted(parseFunction, text),
    words: 'must be a function such as transfer(address to, uint256 amount) or balanceOf(address)(uint256)',
  }),
  functionOrName: defineFormat('functionOrName', {
    test: (text) => aName.test(text) || isAccepted(parseFunction, text),
    words:
      'must be a function such as transfer(address to, uint256 amount), or the name of one in an Anchor IDL, a Soroban spec or a Candid interface',
  }),
};
