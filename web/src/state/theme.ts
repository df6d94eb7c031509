import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const stored = localStorage.getItem('vigil-theme');
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem('vigil-theme', theme.value);
});

const query = matchMedia('(max-width: 719px)');
/** A phone: tables show what matters most, the navigation folds away. */
export const isNarrow = signal(query.matches);
query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});
