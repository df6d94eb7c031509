import { Confirm } from '../parts/Dialog.tsx';
import { leaving } from '../state/unsaved.ts';

/** Asked before a page or a dialog with a changed form is left. */
export function LeaveQuestion() {
  const go = leaving.value;
  if (!go) return null;
  const close = () => {
    leaving.value = undefined;
  };
  return (
    <Confirm
      title="Leave without saving?"
      action="Discard the changes"
      back="Go on editing"
      onClose={close}
      onConfirm={async () => {
        close();
        go();
      }}
    >
      <p>What you have changed in this form was not saved, and will be lost.</p>
    </Confirm>
  );
}
