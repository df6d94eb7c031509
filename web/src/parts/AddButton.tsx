import { Icon } from './Icon.tsx';

export function AddButton({ text = 'Add', onClick }: { text?: string | undefined; onClick(): void }) {
  return (
    <span>
      <button type="button" class="small" onClick={onClick}>
        <Icon name="plus" />
        {text}
      </button>
    </span>
  );
}
