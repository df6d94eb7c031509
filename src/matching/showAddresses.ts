import { nativeInterface } from '../codecs/solana/nativeInstructions.ts';
import { mapTexts } from '../lib/mapTexts.ts';
import type { Finding } from '../model/alert.ts';
import type { ChainFacts, ContractFacts } from '../model/detection.ts';

/** Findings with the addresses that people know, in message and evidence, where matching uses others. */
export function showAddresses(findings: Finding[], { show }: ChainFacts): Finding[] {
  if (!show) return findings;
  const inText = (text: string) =>
    text.replace(/\b0x[0-9a-f]{40}\b/gi, (address) => show(address.toLowerCase()));
  return findings.map((finding) => ({
    ...finding,
    message: inText(finding.message),
    meta: mapTexts(finding.meta, inText),
  }));
}

/**
 * The contract with its implementation in the form that matching uses, which is stored as people know it, and with the interface of
 * a program of the chain itself.
 */
export function canonicalContract(
  stored: ContractFacts,
  { family, show, canonical }: ChainFacts,
): ContractFacts {
  const native = family === 'solana' && stored.abi.length === 0 ? nativeInterface(stored.address) : undefined;
  const contract = native ? { ...stored, abi: native } : stored;
  const { implementation } = contract;
  if (!show || implementation === null) return contract;
  return { ...contract, implementation: canonical(implementation) };
}
