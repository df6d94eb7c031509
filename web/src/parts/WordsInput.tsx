import { useState } from 'preact/hooks';

export type WordsInputProps = {
  id: string;
  describedBy?: string;
  value: readonly string[];
  onChange(words: string[]): void;
  faults?: readonly string[];
  placeholder?: string;
};

/** A list of words: Enter or a comma adds one, Backspace in an empty box removes the last. */
export function WordsInput({ id, describedBy, value, onChange, faults = [], placeholder }: WordsInputProps) {
  const [text, setText] = useState('');
  const add = (typed: string) => {
    const words = typed
      .split(/[,\n]/)
      .map((word) => word.trim())
      .filter((word) => word !== '' && !value.includes(word));
    setText('');
    if (words.length > 0) onChange([...value, ...words]);
  };
  return (
    <>
      <div class="words">
        {value.map((word) => (
          <span class="tag" key={word}>
            <span class="foreign">{word}</span>
            <button
              type="button"
              class="link"
              aria-label={`Remove ${word}`}
              onClick={() => onChange(value.filter((other) => other !== word))}
            >
              ×
            </button>
          </span>
        ))}
        <input
          id={id}
          aria-describedby={describedBy}
          value={text}
          autocomplete="off"
          placeholder={placeholder ?? (value.length === 0 ? 'Type and press Enter' : '')}
          onInput={({ currentTarget }) =>
            currentTarget.value.includes(',') ? add(currentTarget.value) : setText(currentTarget.value)
          }
          onBlur={() => add(text)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && text.trim() !== '') {
              event.preventDefault();
              add(text);
            } else if (event.key === 'Backspace' && text === '') onChange(value.slice(0, -1));
          }}
        />
      </div>
      {faults.map((message) => (
        <span class="fault foreign" key={message}>
          {message}
        </span>
      ))}
    </>
  );
}
