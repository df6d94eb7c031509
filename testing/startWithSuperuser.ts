import { rm, writeFile } from 'node:fs/promises';
import { type Embedded, startEmbedded } from '../src/store/embedded/startEmbedded.ts';

/** The bundled server with connections of the superuser, whom it admits nowhere else: tests create databases. */
export async function startWithSuperuser({
  dataDir,
  settings = {},
}: {
  dataDir: string;
  settings?: Record<string, string>;
}): Promise<Embedded & { hbaFile: string }> {
  const hbaFile = `${dataDir}-hba.conf`;
  await writeFile(hbaFile, 'local all all trust\n', { mode: 0o644 });
  const embedded = await startEmbedded({
    dataDir,
    log: () => {},
    settings: { ...settings, hba_file: hbaFile },
  });
  const connection = { ...embedded.connection, user: 'vigil', password: 'unused' };
  return {
    ...embedded,
    connection,
    owner: connection,
    hbaFile,
    async stop() {
      await embedded.stop();
      await rm(hbaFile);
    },
  };
}
