import { useEffect, useRef, useState } from 'preact/hooks';
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
      setOpen(true);
    });
    return () => {
      isGone = true;
      editor.current?.destroy();
    };
  }, [label]);
  useEffect(() => editor.current?.setValue(value), [value]);
  useEffect(() => editor.current?.setFaults(faults), [faults, isOpen]);

  return (
    <>
      <div ref={place} hidden={!isOpen} />
      {!isOpen && (
        <textarea
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
