import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';

type Latest = {
  value: string;
  onChange(value: string): void;
  names: readonly { name: string; detail?: string }[];
};

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
        syntaxHighlighting(defaultHighlightStyle),
        autocompletion({
          override: [
            (context) => {
              const word = context.matchBefore(/[\w.]+/);
              if (!word && !context.explicit) return null;
              const options = latest().names.map(({ name, detail }) => ({
                label: name,
                ...(detail ? { detail } : {}),
              }));
              return { from: word?.from ?? context.pos, options };
            },
          ],
        }),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest().onChange(update.state.doc.toString());
        }),
        look,
      ],
    }),
  });
  return {
    setValue(value: string) {
      const present = view.state.doc.toString();
      if (value !== present) view.dispatch({ changes: { from: 0, to: present.length, insert: value } });
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
