import { once } from 'node:events';
import { createServer } from 'node:net';

const usual = 8080;
const attempts = 20;

/** The port that is asked for, which must be free; otherwise 8080 or the next free one. */
export async function findPort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) {
    if (await isFree(wanted)) return wanted;
    throw new Error(`The port ${wanted} is taken: name another one, or leave --port out to take a free one.`);
  }
  for (let port = usual; port < usual + attempts; port++) if (await isFree(port)) return port;
  throw new Error(
    `The ports ${usual} to ${usual + attempts - 1} are all taken: name a free one, such as --port 9000.`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen(port, '127.0.0.1');
    await listening;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw new Error(`The port ${port} cannot be used: ${String(error)}`, { cause: error });
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return true;
}
