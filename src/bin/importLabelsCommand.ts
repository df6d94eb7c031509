import { createReadStream } from 'node:fs';
import { type ChainUid, setOwnChains } from '../chains/chains.ts';
import { Problem } from '../model/errors.ts';
import { importLabels } from '../services/labels/importLabels.ts';
import { toLabelTags } from '../services/labels/labelMembers.ts';
import { readChainUid } from '../services/labels/readLabelRow.ts';
import { findOwnChains } from '../store/contracts/ownChains.ts';
import { fileFault } from './fileFault.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { runImport } from './runImport.ts';

/** The whole file is one transaction: it is imported, or nothing is. */
export async function importLabelsCommand(
  { tags, source, chain, tenant, partial }: CommandInput['options'],
  words: readonly string[],
): Promise<number> {
  const [file] = words;
  if (file === undefined || words.length !== 1) return refuse('Usage: vigil import labels <file> [options].');
  const unreadable = fileFault(file);
  if (unreadable !== undefined) return refuse(unreadable);
  const defaults: Defaults = {
    chainUid: null,
    tags: toLabelTags(typeof tags === 'string' ? tags.split(',') : []),
    source: typeof source === 'string' ? source : null,
  };
  return runImport({
    tenant: typeof tenant === 'string' ? tenant : undefined,
    write: async (tx, tenantId, now) => {
      setOwnChains(await findOwnChains(tx));
      if (typeof chain === 'string') defaults.chainUid = chainOrThrow(chain);
      return importLabels(
        tx,
        { tenantId, defaults, isPartial: partial === true, now, onProgress: createProgress() },
        textOf(file),
      );
    },
    audited: ({ faults: _faults, ...counts }) => ({ ...defaults, ...counts }),
    print: (result) => {
      for (const { line, message } of result.faults) process.stderr.write(`Line ${line}: ${message}\n`);
      process.stdout.write(
        `${result.created} created, ${result.updated} updated, ${result.unchanged} unchanged, ${result.faultCount} with faults.\n`,
      );
      return result.faultCount > 0 ? 1 : 0;
    },
  });
}

type Defaults = { chainUid: ChainUid | null; tags: string[]; source: string | null };

function chainOrThrow(text: string): ChainUid {
  const uid = readChainUid(text);
  if (uid === undefined) throw new Problem('unprocessable', `There is no chain ${text}.`);
  return uid;
}

async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const bytes of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      yield decoder.decode(bytes, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Problem('unprocessable', `${file} is not UTF-8 text.`, {}, { cause });
  }
}

/** Prints at most one line a second. */
function createProgress(): (lines: number) => void {
  const startedAt = Date.now();
  let printedAt = startedAt;
  return (lines) => {
    const now = Date.now();
    if (now - printedAt < 1000) return;
    printedAt = now;
    const perSecond = Math.round(lines / ((now - startedAt) / 1000));
    process.stderr.write(
      `${lines.toLocaleString('en-US')} lines, ${perSecond.toLocaleString('en-US')} a second\n`,
    );
  };
}
