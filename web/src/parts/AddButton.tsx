import { Icon } from './Icon.tsx';

export function AddButton({ onClick }: { onClick(): void }) {
  return (
    <span>
      <button type="button" class="small" onClick={onClick}>
        <Icon name="plus" />
        Add
      </button>
    </span>
  );
}
