import type { Reader } from '../../../model/detection.ts';
import { parseFunction } from '../abi/abi.ts';
import { topicAddress, zeroAddress } from '../abi/words.ts';

import { readCall, tryCall } from './readCall.ts';

export type Implementation = { readonly address: string; readonly beacon?: string };

/** Where proxies keep the address of their code: EIP-1967, its beacon variant, and EIP-1822. */
export const proxySlots = {
  implementation: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  proxiable: '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
};

const implementationItem = parseFunction('implementation()(address)');
const masterCopyItem = parseFunction('masterCopy()(address)');

/** What a proxy stands for after the observed block, by its storage; undefined when it is no proxy of these kinds. */
export function readImplementation(read: Reader, proxy: string): Implementation | undefined {
  const [implementation, beacon, proxiable] = read
    .all([
      () => read.storage(proxy, proxySlots.implementation),
      () => read.storage(proxy, proxySlots.beacon),
      () => read.storage(proxy, proxySlots.proxiable),
    ])
    .map((word) => present(topicAddress(`0x${word.slice(2).padStart(64, '0')}`)));
  if (implementation !== undefined) return { address: implementation };
  if (beacon !== undefined) return { address: String(readCall(read, beacon, implementationItem)[0]), beacon };
  return proxiable === undefined ? undefined : { address: proxiable };
}

/** The same for proxies that report it by a function: EIP-897, beacons, and Safes, whose proxy answers `masterCopy`. */
export function askImplementation(read: Reader, proxy: string): Implementation | undefined {
  const answers = read.all([
    () => tryCall(read, proxy, implementationItem),
    () => tryCall(read, proxy, masterCopyItem),
  ]);
  for (const answer of answers) {
    const address = 'failure' in answer ? undefined : present(String(answer.results[0]));
    if (address !== undefined) return { address };
  }
  return undefined;
}

function present(address: string): string | undefined {
  return address === zeroAddress ? undefined : address;
}
