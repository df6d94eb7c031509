import { writeFile } from 'node:fs/promises';
import { webhookMessages } from '../api/endpoints/destinations/webhookMessages.ts';
import { openApiDocument } from '../api/http/openApiDocument.ts';
import { loadConfig } from '../runtime/config/loadConfig.ts';
import { packageVersion } from '../runtime/packageVersion.ts';
import { endpointsFor } from '../runtime/startServer.ts';

/** Prints what `/openapi.json` answers, or writes it to a file; nothing needs to run. */
export async function openapiCommand({ out }: { out?: string }): Promise<number> {
  const document = openApiDocument(endpointsFor(loadConfig()), webhookMessages, packageVersion());
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (out === undefined) {
    process.stdout.write(text);
    return 0;
  }
  try {
    await writeFile(out, text);
    return 0;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(
      `Cannot write ${out} (${code}): name a file in a folder that exists and that you may change.\n`,
    );
    return 2;
  }
}
