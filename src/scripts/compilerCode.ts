import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten';
import type { Limits } from './limits.ts';

export type ScriptFault = {
  code: 'syntax' | 'time' | 'memory' | 'thrown' | 'result';
  message: string;
  line?: number;
  column?: number;
};

/** The functions a context has compiled, by parameters and source. */
export type Library = { context: QuickJSContext; scripts: Map<string, QuickJSHandle>; chars: number };

type Compiled = { script: QuickJSHandle } | { fault: ScriptFault };

export type Compiler = { compile: typeof compile; toFault: typeof toFault };

/** Sent as text into the worker, so the functions below may use nothing of this module but each other. */
export const compilerCode = [compile, parse, toFault].map(String).join('\n');

/** Returns the cached function of a source or compiles it; evicts the least recently used ones. */
function compile(library: Library, limits: Limits, names: readonly string[], source: string): Compiled {
  const { scripts } = library;
  const key = `${names.join()}\n${source}`;
  const cached = scripts.get(key);
  if (cached !== undefined) {
    scripts.delete(key);
    scripts.set(key, cached);
    return { script: cached };
  }
  if (source.length > limits.sourceChars) {
    return {
      fault: { code: 'syntax', message: `the script is longer than ${limits.sourceChars} characters` },
    };
  }
  if (source.trim() === '') return { fault: { code: 'syntax', message: 'the script is empty' } };
  const compiled = parse(library.context, names, source);
  if ('fault' in compiled) return compiled;
  scripts.set(key, compiled.script);
  library.chars += key.length;
  for (const [oldest, handle] of scripts) {
    if (oldest === key || (scripts.size <= limits.cachedScripts && library.chars <= limits.cachedChars))
      break;
    scripts.delete(oldest);
    library.chars -= oldest.length;
    handle.dispose();
  }
  return compiled;
}

/**
 * Each form is compiled in two shells, because a source that closes our bracket and opens another would run outside its
 * function. No such text is valid in both: `(…)` and `[…]` end differently, and after the block of an arrow function in
 * parentheses only `,` or `)` may follow, which cannot begin a statement after the block of an `if`.
 */
function parse(context: QuickJSContext, names: readonly string[], source: string): Compiled {
  const lines = source.split('\n');
  const params = names.join();
  let bare = source.trimEnd();
  while (bare.endsWith(';')) bare = bare.slice(0, -1).trimEnd();
  const shells: [string, string][] = [
    [`(${params}) => (\n${bare}\n)`, `(${params}) => [\n${bare}\n]`],
    [`(${params}) => (() => {\n${source}\n})()`, `() => { if (0) {\n${source}\n} }`],
  ];
  let best: ScriptFault | undefined;
  for (const [shell, otherShell] of shells) {
    const fault = faultOf(shell) ?? faultOf(otherShell);
    if (fault === undefined) {
      const result = context.evalCode(shell, 'script', { strict: true });
      if (!result.error) return { script: result.value };
      result.error.dispose();
      return { fault: { code: 'memory', message: 'the script needs too much memory' } };
    }
    const [line = 0, bestLine = 0] = [fault.line, best?.line];
    const isFurther = line > bestLine || (line === bestLine && (fault.column ?? 0) >= (best?.column ?? 0));
    if (best === undefined || isFurther) best = fault;
    if (fault.code === 'memory') break;
  }
  return { fault: best ?? { code: 'syntax', message: 'the script cannot be read' } };

  function faultOf(text: string): ScriptFault | undefined {
    const result = context.evalCode(text, 'script', { strict: true, compileOnly: true });
    if (!result.error) {
      result.value.dispose();
      return undefined;
    }
    const dumped: unknown = result.error.consume((error) => context.dump(error));
    const { name, message, stack } = Object(dumped);
    const [, line, column] = /\bscript:(\d+):(\d+)/.exec(String(stack)) ?? [];
    const position = { line: Number(line ?? 0), column: Number(column ?? 0) };
    if (name !== 'SyntaxError' || message === 'stack overflow')
      return toFault('memory', { message: String(message), ...position });
    if (position.line <= lines.length + 1)
      return toFault('syntax', { message: String(message), ...position });
    const end = { line: lines.length + 1, column: (lines.at(-1) ?? '').length + 1 };
    return toFault('syntax', { message: 'the script ends too early', ...end });
  }
}

/** Positions count from the first line of the shell, which is not part of the source. */
function toFault(
  code: 'syntax' | 'thrown' | 'memory',
  thrown: { message: string; line: number; column: number },
): ScriptFault {
  const message = thrown.message.replace(/\p{Cc}+/gu, ' ').slice(0, 300);
  const limit =
    message === 'stack overflow' ? 'the script is nested too deeply' : 'the script needs too much memory';
  const text = code === 'memory' ? limit : message;
  if (thrown.line < 2) return { code, message: text };
  const line = thrown.line - 1;
  return { code, message: `line ${line}, column ${thrown.column}: ${text}`, line, column: thrown.column };
}
