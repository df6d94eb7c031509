import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';

type Latest = {
  value: string;
  onChange(value: string): void;
  names: readonly { name: string; detail?: string }[];
};

/** Marks what was not typed, and so is no change to tell of. */
const isOutside = Annotation.define<boolean>();

/** For each colour of the usual style one that can be read on light and one on dark. */
const inBothThemes: Readonly<Record<string, string>> = {
  '#404740': 'light-dark(#404740, #b9c2b9)',
  '#708': 'light-dark(#7700aa, #d9b3ff)',
  '#219': 'light-dark(#2a12a8, #a9bcff)',
  '#164': 'light-dark(#0d5c3a, #86dcb0)',
  '#a11': 'light-dark(#a31212, #ffa39b)',
  '#e40': 'light-dark(#a83600, #ffb98a)',
  '#00f': 'light-dark(#0000d6, #9dc7ff)',
  '#30a': 'light-dark(#3300aa, #c3b8ff)',
  '#085': 'light-dark(#00603b, #7fdcb3)',
  '#167': 'light-dark(#115f70, #8ad4e4)',
  '#256': 'light-dark(#225566, #a6cfde)',
  '#00c': 'light-dark(#0000cc, #9dc7ff)',
  '#940': 'light-dark(#8a3d00, #dbb692)',
  '#f00': 'light-dark(#c40000, #ff8d8d)',
};
const colors = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) => {
    const color = typeof spec.color === 'string' ? inBothThemes[spec.color] : undefined;
    return color ? { ...spec, color } : spec;
  }),
);

const look = EditorView.theme({
  '&': {
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { caretColor: 'var(--text)', fontFamily: 'var(--mono)', minHeight: '8em' },
  '.cm-gutters': { background: 'var(--raised)', border: '0', color: 'var(--dim)' },
  '.cm-completionDetail': { color: 'var(--dim)' },
  '.cm-tooltip': { background: 'var(--surface)', border: '1px solid var(--line)', color: 'var(--text)' },
});

/** CodeMirror inside a shadow root; Tab leaves it, so that the keyboard is never caught. */
export function openEditor(root: ShadowRoot, label: string, latest: () => Latest) {
  root.replaceChildren();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: latest().value,
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        javascript(),
        syntaxHighlighting(colors),
        autocompletion({
          override: [
            (context) => {
              const word = context.matchBefore(/[\w.]+/);
              if (!word && !context.explicit) return null;
              const options = latest().names.map(({ name, detail }) => ({
                label: name,
                ...(detail ? { detail } : {}),
              }));
              return { from: word?.from ?? context.pos, options, validFor: /^[\w.]*$/ };
            },
          ],
        }),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          const isTyped = update.transactions.some((one) => one.docChanged && !one.annotation(isOutside));
          if (isTyped) latest().onChange(update.state.doc.toString());
        }),
        look,
      ],
    }),
  });
  return {
    setValue(value: string) {
      const present = view.state.doc.toString();
      if (value === present) return;
      view.dispatch({
        changes: { from: 0, to: present.length, insert: value },
        annotations: isOutside.of(true),
      });
    },
    /** Takes the keyboard, with the selection that it had elsewhere. */
    focus(anchor: number, head: number) {
      const end = view.state.doc.length;
      view.focus();
      view.dispatch({ selection: { anchor: Math.min(anchor, end), head: Math.min(head, end) } });
    },
    setFaults(faults: readonly { offset: number; message: string }[]) {
      const end = view.state.doc.length;
      const diagnostics = faults.map(({ offset, message }) => {
        const from = Math.min(Math.max(offset, 0), end);
        return { from, to: Math.min(from + 1, end), message, severity: 'error' as const };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    destroy: () => view.destroy(),
  };
}
