import koffi from 'koffi';

/** The same module in the same process, called past Vigil: what it forgets or refuses there holds for Vigil as well. */
export function rawModule(path: string) {
  const library = koffi.load(path);
  const call = (name: string, types: string[], ...args: unknown[]) =>
    Number(library.func(name, 'ulong', types)(...args));
  const read = (memory: Buffer) => memory.readBigUInt64LE(0);

  function slot(): bigint {
    const [count, slots] = [Buffer.alloc(8), Buffer.alloc(64)];
    count.writeBigUInt64LE(8n);
    call('C_GetSlotList', ['uint8', 'void *', 'void *'], 1, slots, count);
    return read(slots);
  }

  function openSession(): bigint {
    const session = Buffer.alloc(8);
    call('C_OpenSession', ['ulong', 'ulong', 'void *', 'void *', 'void *'], slot(), 4, null, null, session);
    return read(session);
  }

  return {
    forgetSessions: () => call('C_CloseAllSessions', ['ulong'], slot()),
    forgetLogin: () => call('C_Logout', ['ulong'], openSession()),
    forgetAll: () => call('C_Finalize', ['void *'], null),
    /** What the module answers to a question for an attribute of every private key that it has. */
    askPrivateKeys(attribute: number): number[] {
      const session = openSession();
      const value = Buffer.alloc(256);
      const template = (type: number) => {
        const memory = Buffer.alloc(24);
        memory.writeBigUInt64LE(BigInt(type), 0);
        memory.writeBigUInt64LE(koffi.address(value), 8);
        return memory;
      };
      const search = template(0);
      value.writeBigUInt64LE(3n);
      search.writeBigUInt64LE(8n, 16);
      call('C_FindObjectsInit', ['ulong', 'void *', 'ulong'], session, search, 1);
      const [handles, count] = [Buffer.alloc(8 * 1000), Buffer.alloc(8)];
      call('C_FindObjects', ['ulong', 'void *', 'ulong', 'void *'], session, handles, 1000, count);
      call('C_FindObjectsFinal', ['ulong'], session);
      return Array.from({ length: Number(read(count)) }, (_, n) => {
        const question = template(attribute);
        question.writeBigUInt64LE(256n, 16);
        const types = ['ulong', 'ulong', 'void *', 'ulong'];
        return call('C_GetAttributeValue', types, session, handles.readBigUInt64LE(n * 8), question, 1);
      });
    },
  };
}
