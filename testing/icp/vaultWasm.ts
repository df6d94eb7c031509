import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

export const vaultCandid = 'service : { quota : (principal) -> (nat) query; pause : () -> () }';

/**
 * The code of a small canister, as any network runs it: `quota` gives a number below 128, which `pause` makes 4. `note` makes
 * another code of it that does the same.
 */
export function vaultWasm(quota: number, note = ''): Uint8Array {
  const answer = concatBytes(utf8ToBytes('DIDL'), Uint8Array.of(0, 1, 0x7d, quota));
  const nothing = concatBytes(utf8ToBytes('DIDL'), Uint8Array.of(0, 0));
  return concatBytes(
    hexToBytes('0061736d01000000'),
    // (i32, i32) -> (), () -> ()
    section(1, hexToBytes('026002 7f7f00 600000'.replaceAll(' ', ''))),
    section(
      2,
      Uint8Array.of(2),
      text('ic0'),
      text('msg_reply_data_append'),
      Uint8Array.of(0, 0),
      text('ic0'),
      text('msg_reply'),
      Uint8Array.of(0, 1),
    ),
    section(3, Uint8Array.of(2, 1, 1)),
    section(5, Uint8Array.of(1, 0, 1)),
    section(
      7,
      Uint8Array.of(3),
      text('memory'),
      Uint8Array.of(2, 0),
      text('canister_query quota'),
      Uint8Array.of(0, 2),
      text('canister_update pause'),
      Uint8Array.of(0, 3),
    ),
    section(
      10,
      Uint8Array.of(2),
      // append(0, 8); reply()
      code('4100 4108 1000 1001'),
      // The quota, at 7, becomes 4; append(16, 6); reply()
      code('4107 4104 3a0000 4110 4106 1000 1001'),
    ),
    section(11, Uint8Array.of(2), data(0, answer), data(16, nothing)),
    section(0, text('icp:public candid:service'), utf8ToBytes(vaultCandid)),
    section(0, text('note'), utf8ToBytes(note)),
  );
}

const text = (value: string) => concatBytes(Uint8Array.of(value.length), utf8ToBytes(value));

function section(id: number, ...parts: Uint8Array[]): Uint8Array {
  const body = concatBytes(...parts);
  const length = Uint8Array.of((body.length & 127) | 128, body.length >> 7);
  return concatBytes(Uint8Array.of(id), length, body);
}

function code(hex: string): Uint8Array {
  const body = concatBytes(Uint8Array.of(0), hexToBytes(hex.replaceAll(' ', '')), Uint8Array.of(0x0b));
  return concatBytes(Uint8Array.of(body.length), body);
}

function data(at: number, bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0, 0x41, at, 0x0b, bytes.length), bytes);
}
