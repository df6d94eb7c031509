import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { openEditor } from './openEditor.ts';

export type CodeEditorProps = {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Names that the script can use, for completion: `e.message`. */
  names?: readonly { name: string; detail?: string }[];
  /** Faults with their offset in the text. */
  faults?: readonly { offset: number; message: string }[];
  minLines?: number;
};

/** An editor for scripts. Its code is read when the first one is shown; a plain text box stands in until then. */
export function CodeEditor({
  label,
  value,
  onChange,
  names = [],
  faults = [],
  minLines = 6,
}: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<ReturnType<typeof openEditor>>(undefined);
  const [isOpen, setOpen] = useState(false);
  const latest = useRef({ value, onChange, names });
  latest.current = { value, onChange, names };

  useEffect(() => {
    let isGone = false;
    void import('./openEditor.ts').then(({ openEditor }) => {
      if (isGone || !place.current) return;
      // A shadow root takes its styles as constructed sheets, which the content security policy allows.
      const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' });
      editor.current = openEditor(root, label, () => latest.current);
      place.current.hidden = false;
      // Typing goes on in the editor.
      const { current: stand } = box;
      if (stand && document.activeElement === stand)
        editor.current.focus(stand.selectionStart, stand.selectionEnd);
      setOpen(true);
    });
    return () => {
      isGone = true;
      editor.current?.destroy();
    };
  }, [label]);
  // Before the next key: a value that a later effect wrote back would take away what was typed since.
  useLayoutEffect(() => editor.current?.setValue(value), [value]);
  useEffect(() => editor.current?.setFaults(faults), [faults, isOpen]);

  return (
    <>
      <div ref={place} hidden={!isOpen} />
      {!isOpen && (
        <textarea
          ref={box}
          class="mono"
          aria-label={label}
          rows={minLines}
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </>
  );
}
