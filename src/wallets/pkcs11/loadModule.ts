import type { LibraryHandle } from 'koffi';
import { Pkcs11Error, toPkcs11Error } from './pkcs11Error.ts';

/** The functions that Vigil needs, with the types of their arguments; every pointer is a Buffer. */
const signatures = {
  C_Initialize: ['void *'],
  C_Finalize: ['void *'],
  C_GetSlotList: ['uint8', 'void *', 'void *'],
  C_GetTokenInfo: ['ulong', 'void *'],
  C_OpenSession: ['ulong', 'ulong', 'void *', 'void *', 'void *'],
  C_Login: ['ulong', 'ulong', 'void *', 'ulong'],
  C_FindObjectsInit: ['ulong', 'void *', 'ulong'],
  C_FindObjects: ['ulong', 'void *', 'ulong', 'void *'],
  C_FindObjectsFinal: ['ulong'],
  C_GetAttributeValue: ['ulong', 'ulong', 'void *', 'ulong'],
  C_GenerateKeyPair: ['ulong', 'void *', 'void *', 'ulong', 'void *', 'ulong', 'void *', 'void *'],
  C_DestroyObject: ['ulong', 'ulong'],
  C_SignInit: ['ulong', 'void *', 'ulong'],
  C_Sign: ['ulong', 'void *', 'ulong', 'void *', 'void *'],
} as const;

type Argument = Buffer | bigint | number | null;

export type Pkcs11Module = {
  /** Throws for every result except success and the `tolerated` ones. */
  call(
    name: keyof typeof signatures,
    args: readonly Argument[],
    tolerated?: readonly string[],
  ): Promise<void>;
  /** The address of a Buffer, for structures that point to one. It must not come from a pool: use `Buffer.alloc`. */
  address(buffer: Buffer): bigint;
  /** True if a call has exceeded the time limit and still runs. */
  isHung(): boolean;
};

/**
 * Runs a module's functions on separate threads, because they may take long or never return. A call over the time limit
 * cannot be stopped; until it returns, every other call fails at once.
 */
export async function loadModule(path: string, timeLimitMs: number): Promise<Pkcs11Module> {
  const { default: koffi } = await import('koffi');
  const functions = readFunctions(path, () => koffi.load(path));
  /** Keeps the memory that the module may still read or write from being collected. */
  const inUse = new Set<readonly Argument[]>();
  let hungCalls = 0;

  return {
    address: (buffer) => koffi.address(buffer),
    isHung: () => hungCalls > 0,
    call: (name, args, tolerated = []) =>
      new Promise((resolve, reject) => {
        if (hungCalls > 0) return reject(timeoutError(timeLimitMs));
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          hungCalls += 1;
          reject(timeoutError(timeLimitMs));
        }, timeLimitMs);
        inUse.add(args);
        functions[name].async(...args, (error: Error | null, result: unknown) => {
          clearTimeout(timer);
          inUse.delete(args);
          if (isLate) hungCalls -= 1;
          if (error)
            return reject(new Error(`${name} of the PKCS#11 module cannot be called.`, { cause: error }));
          const fault = Number(result) === 0 ? undefined : toPkcs11Error(name, Number(result));
          if (fault && !tolerated.includes(fault.code)) reject(fault);
          else resolve();
        });
      }),
  };
}

type Functions = Record<keyof typeof signatures, ReturnType<LibraryHandle['func']>>;

function readFunctions(path: string, load: () => LibraryHandle): Functions {
  try {
    const library = load();
    const entries = Object.entries(signatures).map(
      ([name, types]) => [name, library.func(name, 'ulong', [...types])] as const,
    );
    return Object.fromEntries(entries) as Functions;
  } catch (cause) {
    throw new Error(`VIGIL_PKCS11_MODULE names ${path}, which cannot be loaded as a PKCS#11 module.`, {
      cause,
    });
  }
}

function timeoutError(timeLimitMs: number): Pkcs11Error {
  return new Pkcs11Error(
    'hung',
    `The PKCS#11 module did not respond within ${timeLimitMs} ms; calls fail until it does.`,
  );
}
