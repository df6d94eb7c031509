import type { Command } from './parseCommand.ts';

/** Every command; each loads its own code when it runs, so that `--help` and `version` stay fast. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    help: 'Run Vigil until it is stopped (what npm start does).',
    run: async () => (await import('./serve.ts')).serve(),
  },
  {
    name: 'migrate',
    help: 'Bring the database up to date and stop.',
    options: {
      citus: {
        type: 'boolean',
        help: 'Also distribute what grows with alerts over the workers of Citus, while Vigil runs.',
      },
      shards: {
        type: 'string',
        value: 'n',
        help: 'With --citus, the first time: how many workers the cluster can have at most (default: 16).',
      },
    },
    run: async ({ options }) => (await import('./maintenanceCommands.ts')).migrateDatabase(options),
  },
  {
    name: 'cluster status',
    help: 'Show the workers of Citus, their shards, and the moves under way.',
    run: async () => (await import('./clusterCommands.ts')).clusterStatus(),
  },
  {
    name: 'cluster add',
    help: 'Make a server a worker and move shards to it, while Vigil runs.',
    words: '<host:port>',
    run: async ({ words }) => (await import('./clusterCommands.ts')).clusterAdd(words),
  },
  {
    name: 'cluster drain',
    help: 'Move all shards away from a worker, so that it can be stopped.',
    words: '<host:port>',
    run: async ({ words }) => (await import('./clusterCommands.ts')).clusterDrain(words),
  },
  {
    name: 'cluster rebalance',
    help: 'Spread shards evenly over the workers; shows the moves that are under way.',
    run: async () => (await import('./clusterCommands.ts')).clusterRebalance(),
  },
  {
    name: 'doctor',
    help: 'Check the database servers: which one takes writes, who follows it, and what would be lost.',
    run: async () => (await import('./doctorCommand.ts')).doctor(),
  },
  {
    name: 'token create',
    help: 'Create an access token and print it once.',
    options: {
      role: {
        type: 'string',
        multiple: true,
        value: 'role',
        help: 'Role of the token, repeatable (default: admin).',
      },
      tenant: { type: 'string', value: 'id', help: 'Tenant that the token acts in; none for an admin.' },
      label: { type: 'string', value: 'text', help: 'The purpose of the token.' },
      days: { type: 'string', value: 'n', help: 'Days until it expires (default: never).' },
    },
    run: async ({ options }) => (await import('./tokenCommands.ts')).createTokenCommand(options),
  },
  {
    name: 'token list',
    help: 'List the live tokens, without their secrets.',
    run: async () => (await import('./tokenCommands.ts')).listTokensCommand(),
  },
  {
    name: 'token revoke',
    help: 'Revoke a token at once.',
    words: '<id>',
    run: async ({ words }) => (await import('./tokenCommands.ts')).revokeTokenCommand(words),
  },
  {
    name: 'key rotate',
    help: 'Seal all secrets under a new master key, while Vigil keeps running.',
    options: {
      'new-key-file': {
        type: 'string',
        value: 'file',
        help: 'File with the new key; needed when VIGIL_MASTER_KEY is set.',
      },
    },
    run: async ({ options }) => (await import('./rotateKey.ts')).rotateKey(options),
  },
  {
    name: 'audit verify',
    help: 'Check every hash chain of the audit log and name the first broken link.',
    options: {
      checkpoint: {
        type: 'string',
        value: 'file',
        help: 'Stored checkpoint: also finds entries that were cut off since.',
      },
    },
    run: async ({ options }) => (await import('./auditCommands.ts')).verifyAuditLog(options),
  },
  {
    name: 'audit checkpoint',
    help: 'Print a signed statement of the last audit entries, to be stored elsewhere.',
    run: async () => (await import('./auditCommands.ts')).printCheckpoint(),
  },
  {
    name: 'audit export',
    help: 'Print the audit log as JSON lines, chain by chain.',
    options: {
      tenant: { type: 'string', value: 'id', help: 'Only the chain of this tenant.' },
      since: { type: 'string', value: 'time', help: 'Not before this time, such as 2026-01-31T00:00:00Z.' },
      until: { type: 'string', value: 'time', help: 'Not after this time.' },
    },
    run: async ({ options }) => (await import('./auditCommands.ts')).exportAuditLog(options),
  },
  {
    name: 'rollup verify',
    help: 'Recount all alerts and print the roll-ups that differ.',
    run: async () => (await import('./maintenanceCommands.ts')).verifyAlertRollups(),
  },
  {
    name: 'backtest',
    help: 'Run a detector over past blocks and print what it would have raised.',
    words: '<detector id>',
    options: {
      from: { type: 'string', value: 'block', help: 'First block.' },
      to: { type: 'string', value: 'block', help: 'Last block.' },
      json: { type: 'boolean', help: 'Print the whole result as JSON.' },
    },
    run: async ({ options, words }) => (await import('./backtestCommand.ts')).backtestCommand(options, words),
  },
  {
    name: 'import labels',
    help: 'Import address labels from a CSV file of any size.',
    words: '<file>',
    options: {
      tags: { type: 'string', value: 'a,b', help: 'Tags for every label of the file.' },
      source: { type: 'string', value: 'text', help: 'Source of the labels whose line names none.' },
      chain: {
        type: 'string',
        value: 'uid',
        help: 'Chain of the labels whose line names none (default: every EVM chain).',
      },
      tenant: {
        type: 'string',
        value: 'id',
        help: 'Tenant that the labels are for (default: the whole platform).',
      },
      partial: { type: 'boolean', help: 'Take the good lines although others have faults.' },
    },
    run: async ({ options, words }) =>
      (await import('./importLabelsCommand.ts')).importLabelsCommand(options, words),
  },
  {
    name: 'import sanctions',
    help: 'Import a published sanctions list (OFAC, EU, UK, or addresses alone).',
    words: '<file>',
    options: {
      source: {
        type: 'string',
        value: 'text',
        help: 'Source of the labels (default: the name of the list).',
      },
      tenant: {
        type: 'string',
        value: 'id',
        help: 'Tenant that the labels are for (default: the whole platform).',
      },
      partial: { type: 'boolean', help: 'Take the good addresses although others have faults.' },
      'dry-run': { type: 'boolean', help: 'Only count what would change.' },
    },
    run: async ({ options, words }) =>
      (await import('./importSanctionsCommand.ts')).importSanctionsCommand(options, words),
  },
  {
    name: 'demo',
    help: 'Show Vigil at work: a local chain with attacks, upgrades and reorganisations, and the alerts as they arrive.',
    options: {
      port: {
        type: 'string',
        value: 'n',
        help: 'The port of Vigil (VIGIL_PORT, or else 8080 or the next free one).',
      },
      data: {
        type: 'string',
        value: 'folder',
        help: "A new folder for Vigil's data, which is kept (default: a temporary one).",
      },
      for: { type: 'string', value: 'seconds', help: 'How long to go on (default: until Ctrl-C).' },
      chains: {
        type: 'string',
        value: 'list',
        help: 'Chains to watch: some of ethereum,bitcoin,solana,stellar,icp (default: ethereum).',
      },
    },
    run: async ({ options }) => (await import('./demoCommand.ts')).demoCommand(options),
  },
  {
    name: 'endpoints',
    help: 'Print every endpoint with the roles that may call it.',
    run: async () => (await import('./printEndpoints.ts')).printEndpoints(),
  },
  {
    name: 'openapi',
    help: 'Print the OpenAPI document of the API, for generators of clients.',
    options: { out: { type: 'string', value: 'file', help: 'Write it to this file.' } },
    run: async ({ options }) => (await import('./openapiCommand.ts')).openapiCommand(options),
  },
  {
    name: 'completion',
    help: 'Print the script that completes the command line in a shell.',
    words: '<bash|zsh|fish>',
    run: async ({ words }) => (await import('./completionCommand.ts')).completionCommand(words, commands),
  },
  {
    name: 'version',
    help: 'Print the version.',
    run: async () => {
      const { packageVersion } = await import('../runtime/packageVersion.ts');
      process.stdout.write(`${packageVersion()}\n`);
      return 0;
    },
  },
];
