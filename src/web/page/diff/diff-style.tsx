import { effect, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

export type DiffStyle = 'unified' | 'split';

const STORED = 'savepoint.diff-style';
const ROOM_FOR_TWO = '(min-width: 1100px)';

/** As the person set it; without that, side by side where there is room. */
const chosen = signal<DiffStyle | null>(
  (['unified', 'split'] as const).find((one) => one === localStorage.getItem(STORED)) ?? null,
);

effect(() => {
  if (chosen.value !== null) localStorage.setItem(STORED, chosen.value);
});

/** On a narrow page lines stand one below the other, whatever was chosen on a wide one. */
export function useDiffStyle(): DiffStyle {
  return useIsWide() ? (chosen.value ?? 'split') : 'unified';
}

function useIsWide(): boolean {
  const [isWide, setWide] = useState(() => matchMedia(ROOM_FOR_TWO).matches);
  useEffect(() => {
    const query = matchMedia(ROOM_FOR_TWO);
    const hear = () => setWide(query.matches);
    query.addEventListener('change', hear);
    return () => query.removeEventListener('change', hear);
  }, []);
  return isWide;
}

const CHOICES = [
  ['split', 'Side by side'],
  ['unified', 'Unified'],
] as const;

export function DiffStyleSwitch() {
  const style = useDiffStyle();
  if (!useIsWide()) return null;
  return (
    <fieldset class="segmented diff-style">
      <legend class="unseen">How diffs are shown</legend>
      {CHOICES.map(([value, name]) => (
        <button
          key={value}
          type="button"
          aria-pressed={style === value}
          onClick={() => {
            chosen.value = value;
          }}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
