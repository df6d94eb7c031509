/** Where a form shows a fault, and what is called so there. */
export type FieldFault = { label: string; field: HTMLElement };

/** The members of a form that show a fault, from top to bottom. */
export function fieldFaults(form: HTMLElement): FieldFault[] {
  const fields = Array.from(form.querySelectorAll('.fault'), (fault) => fault.closest<HTMLElement>('.field'));
  return [...new Set(fields)]
    .filter((field) => field !== null)
    .map((field) => ({ field, label: labelOf(field) }));
}

function labelOf(field: HTMLElement): string {
  const label = field.querySelector('.label');
  return (label?.firstChild?.textContent ?? field.dataset.pointer ?? '').trim();
}

/** Whether a control holds what cannot be read, such as half a number. */
export function holdsUnreadable(form: HTMLFormElement): boolean {
  return Array.from(form.elements).some(
    (control) => 'validity' in control && isUnreadable(control.validity as ValidityState),
  );
}

export const isUnreadable = ({ badInput, customError }: ValidityState): boolean => badInput || customError;

/** Brings a member into view and the keyboard to its control. */
export function focusField(field: HTMLElement): void {
  for (let at: Element | null = field; at; at = at.parentElement)
    if (at instanceof HTMLDetailsElement) at.open = true;
  field.scrollIntoView({ block: 'center' });
  const editor = Array.from(field.querySelectorAll('div'), ({ shadowRoot }) => shadowRoot).find(Boolean);
  const control =
    editor?.querySelector<HTMLElement>('.cm-content') ??
    field.querySelector<HTMLElement>('input, select, textarea, button');
  control?.focus({ preventScroll: true });
}
