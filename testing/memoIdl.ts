/** A program that takes any text, and so also what an Anchor program would be called with. */
export const memoProgram = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo';

/** An interface of it as Anchor writes one. */
export const memoIdl = {
  address: memoProgram,
  metadata: { name: 'notes', version: '1.0.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'set_limit',
      discriminator: [...Buffer.from('setlimit')],
      accounts: [{ name: 'admin', signer: true }],
      args: [
        { name: 'limit', type: 'u64' },
        { name: 'who', type: 'string' },
      ],
    },
  ],
};
