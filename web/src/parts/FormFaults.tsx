import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type Fault, faultsOf, messageOf } from '../state/api.ts';
import { type FieldFault, fieldFaults, focusField } from './fieldFaults.ts';

export type FormFaultsProps = {
  form: RefObject<HTMLFormElement | null>;
  error: unknown;
  /** Those of the error that still hold. */
  faults?: readonly Fault[];
  /** Grows each time the form is refused: its first fault then comes into view. */
  round: number;
};

/** Beside the button of a form that was refused: how many values do not fit and where, and what else is wrong. */
export function FormFaults({ form, error, faults = faultsOf(error), round }: FormFaultsProps) {
  const [shown, setShown] = useState<readonly FieldFault[]>([]);
  // What the form shows is known once it is drawn.
  useLayoutEffect(() => {
    const next = form.current && round > 0 ? fieldFaults(form.current) : [];
    const isSame = next.length === shown.length && next.every(({ field }, at) => field === shown[at]?.field);
    if (!isSame) setShown(next);
  });
  useEffect(() => {
    const [first] = form.current && round > 0 ? fieldFaults(form.current) : [];
    if (first) focusField(first.field);
  }, [round]);
  const elsewhere = faults.filter(({ pointer }) => !shown.some(({ field }) => isAt(field, pointer)));
  const hasReason = error !== undefined && (faultsOf(error).length === 0 || elsewhere.length > 0);
  if (shown.length === 0 && !hasReason) return null;
  return (
    <div class="notice bad" role="alert">
      {shown.length > 0 && (
        <p>
          {shown.length === 1 ? 'One value does not fit: ' : `${shown.length} values do not fit: `}
          {shown.map(({ field, label }, index) => (
            <>
              {index > 0 && ', '}
              <button type="button" class="link foreign" onClick={() => focusField(field)}>
                {label}
              </button>
            </>
          ))}
        </p>
      )}
      {hasReason && elsewhere.length === 0 && <p class="foreign">{messageOf(error)}</p>}
      {elsewhere.length > 0 && (
        <ul>
          {elsewhere.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`} class="foreign">
              {pointer && <code>{pointer.slice(1)}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function isAt(field: HTMLElement, pointer: string): boolean {
  const own = field.dataset.pointer;
  return own !== undefined && (pointer === own || pointer.startsWith(`${own}/`));
}
