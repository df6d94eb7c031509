import { createReadStream } from 'node:fs';
import { Problem } from '../model/errors.ts';
import { importSanctions } from '../services/labels/sanctions/importSanctions.ts';
import { readSanctions, type SanctionsFile } from '../services/labels/sanctions/readSanctions.ts';
import { fileFault } from './fileFault.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { refuseProblem, runImport } from './runImport.ts';

/** The file is read before the transaction begins, and replaces what was imported under its source. */
export async function importSanctionsCommand(
  { source, tenant, partial, 'dry-run': dryRun }: CommandInput['options'],
  words: readonly string[],
): Promise<number> {
  const [path] = words;
  if (path === undefined || words.length !== 1)
    return refuse('Usage: vigil import sanctions <file> [options].');
  const unreadable = fileFault(path);
  if (unreadable !== undefined) return refuse(unreadable);
  let file: SanctionsFile;
  try {
    file = await readSanctions(createReadStream(path, { highWaterMark: 1024 * 1024 }));
  } catch (error) {
    if (error instanceof Problem) return refuseProblem(error);
    throw error;
  }
  const isDryRun = dryRun === true;
  return runImport({
    tenant: typeof tenant === 'string' ? tenant : undefined,
    isDryRun,
    write: (tx, tenantId, now) =>
      importSanctions(
        tx,
        {
          tenantId,
          source: typeof source === 'string' ? source : undefined,
          isPartial: partial === true,
          now,
        },
        file,
      ),
    audited: ({ faults: _faults, ...counts }) => counts,
    print: (result) => {
      for (const fault of result.faults) process.stderr.write(`${fault}\n`);
      const { created, updated, unchanged, removed, faultCount, unsupported } = result;
      const rest = unsupported.map(({ currency, count }) => `${count} ${currency}`).join(', ');
      process.stdout.write(
        `${result.format}, source ${result.source}: ${created} created, ${updated} updated, ${unchanged} unchanged, ` +
          `${removed} removed, ${faultCount} with faults.${isDryRun ? ' Nothing was changed (dry run).' : ''}\n` +
          (rest ? `Of chains that Vigil does not watch: ${rest}.\n` : ''),
      );
      return faultCount > 0 ? 1 : 0;
    },
  });
}
