import { effect, signal } from '@preact/signals';
import { Segmented } from '../ui/parts.tsx';
import { useMedia } from '../ui/window.ts';

const STYLES = [
  ['split', 'Side by side'],
  ['unified', 'Unified'],
] as const;

export type DiffStyle = (typeof STYLES)[number][0];

const STORED = 'savepoint.diff-style';
const ROOM_FOR_TWO = '(min-width: 1100px)';

/** As the person set it; without that, side by side where there is room. */
const chosen = signal<DiffStyle | null>(
  STYLES.find(([style]) => style === localStorage.getItem(STORED))?.[0] ?? null,
);

effect(() => {
  if (chosen.value !== null) localStorage.setItem(STORED, chosen.value);
});

/** On a narrow page lines stand one below the other, whatever was chosen on a wide one. */
export function useDiffStyle(): DiffStyle {
  return useMedia(ROOM_FOR_TWO) ? (chosen.value ?? 'split') : 'unified';
}

export function DiffStyleSwitch() {
  const value = useDiffStyle();
  const choose = (style: DiffStyle) => {
    chosen.value = style;
  };
  if (!useMedia(ROOM_FOR_TWO)) return null;
  return <Segmented label="How diffs are shown" options={STYLES} {...{ value, choose }} />;
}
