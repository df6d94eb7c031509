import type { LibraryHandle } from 'koffi';
import { Pkcs11Error, refused } from './pkcs11Error.ts';

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
  /** Throws for every answer but success and those that are `tolerated`. */
  call(
    name: keyof typeof signatures,
    args: readonly Argument[],
    tolerated?: readonly string[],
  ): Promise<void>;
  /** Where a Buffer lies, for structures that point to one. It must not come from a pool: use `Buffer.alloc`. */
  address(buffer: Buffer): bigint;
  /** Whether a call has not returned in time, and still has not. */
  isHung(): boolean;
};

/**
 * A module's functions may take long or never return, so they run on threads of their own. One that does not return in
 * time cannot be ended; until it does, the module is left alone and everybody is told at once.
 */
export async function loadModule(path: string, timeLimitMs: number): Promise<Pkcs11Module> {
  const { default: koffi } = await import('koffi');
  const functions = readFunctions(path, () => koffi.load(path));
  /** Memory that the module may still read or write; without this, nothing would keep it. */
  const inUse = new Set<readonly Argument[]>();
  let hung = 0;

  return {
    address: (buffer) => koffi.address(buffer),
    isHung: () => hung > 0,
    call: (name, args, tolerated = []) =>
      new Promise((resolve, reject) => {
        if (hung > 0) return reject(hangs(timeLimitMs));
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          hung += 1;
          reject(hangs(timeLimitMs));
        }, timeLimitMs);
        inUse.add(args);
        functions[name].async(...args, (error: Error | null, answer: unknown) => {
          clearTimeout(timer);
          inUse.delete(args);
          if (isLate) hung -= 1;
          if (error)
            return reject(new Error(`${name} of the PKCS#11 module cannot be called.`, { cause: error }));
          const fault = Number(answer) === 0 ? undefined : refused(name, Number(answer));
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

function hangs(timeLimitMs: number): Pkcs11Error {
  return new Pkcs11Error(
    'hung',
    `The PKCS#11 module did not answer within ${timeLimitMs} ms; it is asked again once it has answered.`,
  );
}
