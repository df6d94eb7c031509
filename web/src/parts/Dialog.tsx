import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { messageOf } from '../state/api.ts';
import { toastHeld } from '../state/toasts.ts';
import { leave } from '../state/unsaved.ts';
import { Icon } from './Icon.tsx';

export type DialogProps = {
  title: ComponentChildren;
  children: ComponentChildren;
  onClose(): void;
  /** A drawer comes in from the side and leaves the page in view. */
  kind?: 'drawer' | 'wide';
};

/**
 * A native modal dialog: Escape, the backdrop and the cross close it, once a person has agreed to lose what they typed in it, and the
 * focus goes back to where it was.
 */
export function Dialog({ title, children, onClose, kind }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = () => leave(onClose, dialog.current);
  return (
    <dialog
      ref={dialog}
      class={kind ?? ''}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-head">
        <h2 id={id} class="foreign">
          {title}
        </h2>
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

export type ConfirmProps = {
  title: string;
  children: ComponentChildren;
  /** What the button that does it says. */
  action: string;
  /** What the button that does not says. */
  back?: string;
  /** Where something cannot be undone, this word has to be typed first. */
  typed?: string;
  onConfirm(): Promise<unknown>;
  onClose(): void;
};

/** The step between a wish and its effect; says what will happen, and stays open with the reason when it fails. */
export function Confirm({
  title,
  children,
  action,
  back = 'Cancel',
  typed,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const [text, setText] = useState('');
  const confirm = async () => {
    setState({ isBusy: true });
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      if (toastHeld(error)) onClose();
      else setState({ isBusy: false, error });
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">{children}</div>
      {typed && (
        <label class="field">
          <span class="label">
            Type <code class="foreign">{typed}</code> to go on
          </span>
          <input
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            autocomplete="off"
          />
        </label>
      )}
      {state.error !== undefined && (
        <div class="notice bad foreign" role="alert">
          {messageOf(state.error)}
        </div>
      )}
      <div class="row end">
        <button type="button" onClick={onClose}>
          {back}
        </button>
        <button
          type="button"
          class="danger solid"
          disabled={state.isBusy || (typed !== undefined && text !== typed)}
          onClick={confirm}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
