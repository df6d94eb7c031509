import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import './QueryBar.css';

export type Suggestion = { text: string; detail?: string | undefined };

export type QueryBarProps = {
  value: string;
  onRun(query: string): void;
  /** What can stand at the place of the word that is typed: fields, or values of `field`. */
  suggest(word: { field: string | undefined; typed: string }, signal: AbortSignal): Promise<Suggestion[]>;
  /** The fault of the last run, with its 1-based column where there is one. */
  fault?: { message: string; position?: number | undefined } | undefined;
  placeholder?: string;
  /** Called when an arrow leads out of it, to what was found. */
  onLeave?(): void;
};

type Word = { start: number; end: number; field: string | undefined; typed: string };

/** A query string with completion; a fault is marked at its place in the text. Enter runs it. */
export function QueryBar({ value, onRun, suggest, fault, placeholder, onLeave }: QueryBarProps) {
  const [text, setText] = useState(value);
  const [found, setFound] = useState<{ list: Suggestion[] }>();
  const [active, setActive] = useState(-1);
  const box = useRef<HTMLTextAreaElement>(null);
  const search = useRef<AbortController>(undefined);
  const id = useId();
  useEffect(() => setText(value), [value]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
  useEffect(() => () => search.current?.abort(), []);

  const close = () => {
    search.current?.abort();
    setFound(undefined);
    setActive(-1);
  };
  const complete = async () => {
    search.current?.abort();
    const controller = new AbortController();
    search.current = controller;
    const element = box.current;
    if (!element) return;
    const word = wordAt(element.value, element.selectionStart);
    try {
      const list = await suggest(word, controller.signal);
      if (controller.signal.aborted || document.activeElement !== element) return;
      setFound(list.length > 0 ? { list: list.slice(0, 12) } : undefined);
      setActive(-1);
    } catch {
      // Completion is a help; the query runs without it.
    }
  };
  const choose = (suggestion: Suggestion | undefined) => {
    const element = box.current;
    if (!suggestion || !element) return;
    // What was typed since the list came in is replaced as well.
    const { start, end } = wordAt(text, element.selectionStart);
    const next = text.slice(0, start) + suggestion.text + text.slice(end);
    setText(next);
    close();
    const caret = start + suggestion.text.length;
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(caret, caret);
      if (suggestion.text.endsWith(':')) void complete();
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const list = found?.list ?? [];
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (active >= 0) choose(list[active]);
      else {
        close();
        onRun(text.replace(/\s*\n\s*/g, ' ').trim());
      }
    } else if (event.key === 'Tab' && list.length > 0 && !event.shiftKey) {
      event.preventDefault();
      choose(list[Math.max(active, 0)]);
    } else if (event.key === 'ArrowDown' && list.length > 0) {
      event.preventDefault();
      setActive((active + 1) % list.length);
    } else if (
      event.key === 'ArrowDown' &&
      onLeave &&
      !text.slice(box.current?.selectionEnd).includes('\n')
    ) {
      event.preventDefault();
      onLeave();
    } else if (event.key === 'ArrowUp' && list.length > 0) {
      event.preventDefault();
      setActive((active <= 0 ? list.length : active) - 1);
    } else if (event.key === 'Escape' && found) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      void complete();
    }
  };
  const isMarked = fault?.position !== undefined && text === value;
  return (
    <div class="query-bar">
      <div class="query-box">
        {isMarked && <Mark text={text} at={fault.position! - 1} />}
        <textarea
          ref={box}
          id={id}
          rows={1}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-label="Query"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-fault`}
          placeholder={placeholder}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            void complete();
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setTimeout(close, 150)}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Suggestions" class="suggestions" hidden={!found}>
        {found?.list.map(({ text: offered, detail }, index) => (
          <div
            id={`${id}-${index}`}
            role="option"
            key={offered}
            aria-selected={index === active}
            onMouseDown={(event) => {
              event.preventDefault();
              choose({ text: offered });
            }}
          >
            <span class="mono cut foreign">{offered}</span>
            {detail && <span class="dim small cut">{detail}</span>}
          </div>
        ))}
      </div>
      <p id={`${id}-fault`} class="fault foreign" role="alert" hidden={!fault}>
        {fault?.message}
      </p>
    </div>
  );
}

/** The same text behind the box, invisible but for the mark. */
function Mark({ text, at }: { text: string; at: number }) {
  const place = Math.min(Math.max(at, 0), text.length);
  return (
    <div class="query-mark" aria-hidden="true">
      {text.slice(0, place)}
      <mark>{text.slice(place, place + 1) || ' '}</mark>
      {text.slice(place + 1)}
    </div>
  );
}

/** The word before the caret: a field, or the value after `field:`. */
function wordAt(text: string, caret: number): Word {
  const before = text.slice(0, caret);
  const value = /([\w.]+):("[^"]*|[^\s()"[\]{}:]*)$/.exec(before);
  if (value) {
    const typed = value[2]!;
    return { start: caret - typed.length, end: caret, field: value[1], typed: typed.replace(/^"/, '') };
  }
  const typed = /[\w.]*$/.exec(before)![0];
  return { start: caret - typed.length, end: caret, field: undefined, typed };
}
