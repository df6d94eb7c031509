import type { Logger } from 'pino';
import { type Hsm, openHsm } from '../wallets/pkcs11/openHsm.ts';
import type { Config } from './config/loadConfig.ts';

/** Undefined without a configured module. One that cannot be loaded is a fault of the settings; a missing token may return. */
export async function openConfiguredHsm({ pkcs11 }: Config, log: Logger): Promise<Hsm | undefined> {
  const { module, slot, pinFile } = pkcs11;
  if (module === undefined) return undefined;
  const hsm = await openHsm({ module, slot, pinFile });
  hsm.check().catch((error: unknown) => log.warn({ err: error }, 'HSM wallets cannot be used yet'));
  return hsm;
}

export async function closeHsm(hsm: Hsm | undefined): Promise<void> {
  const closed = await hsm?.close();
  // A stuck call of the module keeps the process alive, and no other signal can end it.
  if (closed?.isStuck) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000).unref();
}
