import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED_THEME = 'savepoint.theme';
const stored = localStorage.getItem(STORED_THEME);

export const theme = signal<Theme>(THEMES.find((one) => one === stored) ?? 'system');

effect(() => {
  localStorage.setItem(STORED_THEME, theme.value);
  document.documentElement.dataset.theme = theme.value;
});
