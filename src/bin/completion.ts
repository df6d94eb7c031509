import type { Command } from './parseCommand.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Words that may follow some words of a command line, with their meaning. */
type Step = { before: string; isOptions: boolean; choices: { word: string; help: string }[] };

/** The script that completes words of the command line in a shell. */
export function completionFor(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish }[shell](stepsOf(commands));
}

function stepsOf(commands: readonly Command[]): Step[] {
  const beginnings = new Map<string, Step>();
  for (const { name, help } of commands) {
    const words = name.split(' ');
    for (const [index, word] of words.entries()) {
      const before = words.slice(0, index).join(' ');
      const step = beginnings.get(before) ?? { before, isOptions: false, choices: [] };
      beginnings.set(before, step);
      const isWhole = index === words.length - 1;
      if (!step.choices.some((choice) => choice.word === word))
        step.choices.push({ word, help: isWhole ? help : `Commands that begin with ${word}.` });
    }
  }
  const options = commands.map(({ name, options = {} }): Step => {
    const choices = Object.entries(options).map(([option, { help }]) => ({ word: `--${option}`, help }));
    return {
      before: name,
      isOptions: true,
      choices: [...choices, { word: '--help', help: 'How to use it.' }],
    };
  });
  return [...beginnings.values(), ...options];
}

function bash(steps: readonly Step[]): string {
  const cases = steps.map(({ before, isOptions, choices }) => {
    const pattern = isOptions ? `'${before}'*` : `'${before}'`;
    return `    ${pattern}) words='${choices.map(({ word }) => word).join(' ')}' ;;`;
  });
  return `_vigil() {
  local words='' before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$before" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _vigil vigil
`;
}

function zsh(steps: readonly Step[]): string {
  const cases = steps.map(({ before, isOptions, choices }) => {
    const list = choices.map(({ word, help }) => quote(`${word}:${help.replaceAll(':', '\\:')}`));
    const files = isOptions ? '; _files' : '';
    return `    ${isOptions ? `${quote(before)}*` : quote(before)}) choices=(${list.join(' ')}); _describe vigil choices${files} ;;`;
  });
  return `#compdef vigil
_vigil() {
  local -a choices
  case "\${words[2,CURRENT-1]}" in
${cases.join('\n')}
  esac
}
compdef _vigil vigil
`;
}

function fish(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ before, isOptions, choices }) =>
    choices.map(({ word, help }) => {
      const when = `${isOptions ? '__vigil_after' : '__vigil_at'} ${before}`.trim();
      const files = isOptions ? '' : ' -f';
      return `complete -c vigil${files} -n ${quote(when)} -a ${quote(word)} -d ${quote(help)}`;
    }),
  );
  return `function __vigil_at
  set -l words (commandline -opc)
  test "$words[2..]" = "$argv"
end
function __vigil_after
  set -l words (commandline -opc)
  string match -q -- "$argv*" "$words[2..]"
end
${lines.join('\n')}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
