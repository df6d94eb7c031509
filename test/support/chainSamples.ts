import { chainUids } from './recordMembers.ts';

type Family = 'evm' | 'tron' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana';

/** Of every family a published address, and a published key with the address that belongs to it. */
const samples: Readonly<Record<Family, { address: string; key: string; derived: string }>> = {
  evm: {
    address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    key: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    derived: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  },
  tron: {
    address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    key: '1'.padStart(64, '0'),
    derived: 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC',
  },
  icp: {
    address: 'ryjl3-tyaaa-aaaaa-aaaba-cai',
    key: [
      '-----BEGIN PRIVATE KEY-----',
      'MFMCAQEwBQYDK2VwBCIEIL9r4XBKsg4pquYBHY6rgfzuBsvCy89tgqDfDpofXRBP',
      'oSMDIQBCkE1NL4X43clXS1LFauiceiiKW9NhjVTEpU6LpH9Qcw==',
      '-----END PRIVATE KEY-----\n',
    ].join('\n'),
    derived: 'emrl6-qe3wz-fh5ib-sx2r4-fbx46-6g4ql-5ro3g-zhbtm-nxdrq-q2oqo-jqe',
  },
  vechain: {
    address: '0x0000000000000000000000000000456E65726779',
    key: '7582be841ca040aa940fff6c05773129e135623e41acce3e0b8ba520dc1ae26a',
    derived: '0xd989829d88B0eD1B06eDF5C50174eCfA64F14A64',
  },
  stellar: {
    address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    key: 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN',
    derived: 'GDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ6',
  },
  bitcoin: {
    address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    key: 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn',
    derived: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  },
  solana: {
    address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    key: '4UzFMkVbk1q6ApxvDS8inUxg4cMBxCQRVXRx5msqQyktbi1QkJkt574Jda6BjZThSJi54CHfVoLFdVFX8XFn233L',
    derived: '24PNhTaNtomHhoy3fTRaMhAFCRj4uHqhZEEoWrKDbR5p',
  },
};

const families: Partial<Record<string, Family>> = {
  tron: 'tron',
  icp: 'icp',
  vechain: 'vechain',
  stellar: 'stellar',
  bitcoin: 'bitcoin',
  solana: 'solana',
};

/** Every chain of docs/api-spec.md with samples of its family. */
export const chainSamples = chainUids.map((chainUid) => ({
  chainUid,
  family: families[chainUid] ?? 'evm',
  ...samples[families[chainUid] ?? 'evm'],
}));
