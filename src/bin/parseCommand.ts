import { parseArgs } from 'node:util';
import { nearest } from '../lib/nearest.ts';

type Option = { type: 'string' | 'boolean'; multiple?: boolean; value?: string; help: string };

export type Command = {
  /** As typed: `token create`. */
  name: string;
  help: string;
  /** Words that follow, for the usage line. */
  words?: string;
  options?: Record<string, Option>;
  run(input: CommandInput): Promise<number>;
};

export type CommandInput = {
  options: Record<string, string | boolean | (string | boolean)[] | undefined>;
  words: string[];
};

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Finds the command and its options; suggests the nearest word for an unknown one. */
export function parseCommand(
  commands: readonly Command[],
  argv: readonly string[],
): { run: Command['run']; options: CommandInput['options']; words: string[] } {
  const [word] = argv;
  if (word === 'help' && argv.length > 1) return parseCommand(commands, [...argv.slice(1), '--help']);
  if (word === undefined || ['--help', '-h', 'help'].includes(word)) return printing(overview(commands));
  if (['--version', '-v'].includes(word)) return parseCommand(commands, ['version']);
  const group = commands.filter(({ name }) => name.startsWith(`${word} `));
  if (group.length > 0 && ['--help', '-h'].includes(argv[1] ?? '')) return printing(overview(group));
  const command = findCommand(commands, word, argv);
  const rest = joinNegative(argv.slice(command.name.split(' ').length));
  if (rest.includes('--help') || rest.includes('-h')) return printing(usage(command));
  const options = command.options ?? {};
  for (const word of rest) {
    const name = /^--([^=]+)/.exec(word)?.[1] ?? /^-(\w)/.exec(word)?.[1];
    if (name === undefined || Object.hasOwn(options, name)) continue;
    throw new UsageError(
      `vigil ${command.name} has no option ${word.split('=')[0]}.${suggest(name, Object.keys(options), '--')} ` +
        `See vigil ${command.name} --help.`,
    );
  }
  const { values, positionals } = parse(command, rest);
  if (positionals.length > 0 && !command.words) {
    throw new UsageError(
      `vigil ${command.name} takes no "${positionals[0]}". See vigil ${command.name} --help.`,
    );
  }
  return { run: command.run, options: values, words: positionals };
}

function parse(command: Command, rest: readonly string[]) {
  try {
    return parseArgs({
      args: [...rest],
      options: command.options ?? {},
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('.')[0] : '';
    throw new UsageError(`${reason}. See vigil ${command.name} --help.`);
  }
}

/** `--days -3` as `--days=-3`: what begins with a dash would else be an option. */
function joinNegative(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before?.startsWith('--') && /^-\d/.test(word)) joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(word);
  }
  return joined;
}

function findCommand(commands: readonly Command[], first: string, argv: readonly string[]): Command {
  const byLength = commands.toSorted((a, b) => b.name.length - a.name.length);
  const command = byLength.find(({ name }) => name.split(' ').every((word, i) => argv[i] === word));
  if (command) return command;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0) {
    const subcommands = group.flatMap(({ name }) => name.split(' ').slice(1, 2));
    const word = argv[1];
    const problem =
      word === undefined
        ? `vigil ${first} needs one of: ${subcommands.join(', ')}.`
        : `There is no "${first} ${word}".`;
    throw new UsageError(
      `${problem}${word === undefined ? '' : suggest(word, subcommands, `${first} `)} See vigil ${first} --help.`,
    );
  }
  const words = new Set(commands.flatMap(({ name }) => name.split(' ', 1)));
  throw new UsageError(`There is no command "${first}".${suggest(first, words, '')} See vigil --help.`);
}

function suggest(word: string, words: Iterable<string>, prefix: string): string {
  const guess = nearest(word, words);
  return guess === undefined ? '' : ` Did you mean ${prefix}${guess}?`;
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const rows = commands.map(({ name, help }) => `  ${name.padEnd(width)}${help}`);
  return `vigil – self-hosted, multi-tenant blockchain monitoring

Usage: vigil <command> [options]

${rows.join('\n')}

vigil <command> --help lists the options of a command. Settings come from the environment; docs/reference/configuration.md lists them.`;
}

function usage(command: Command): string {
  const rows = Object.entries(command.options ?? {}).map(([name, option]) => {
    const form = option.type === 'boolean' ? `--${name}` : `--${name} <${option.value ?? 'value'}>`;
    return `  ${form.padEnd(28)}${option.help}`;
  });
  const options = rows.length > 0 ? ` [options]\n\n${rows.join('\n')}` : '';
  return `${command.help}\n\nUsage: vigil ${command.name}${command.words ? ` ${command.words}` : ''}${options}`;
}

function printing(text: string) {
  const run = async () => {
    process.stdout.write(`${text}\n`);
    return 0;
  };
  return { run, options: {}, words: [] };
}
