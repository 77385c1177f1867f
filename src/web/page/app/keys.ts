import { useEffect, useRef } from 'preact/hooks';

type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Single keys of a view, heard while it is shown and nobody types into a field. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (PRESSES.includes(event.key) && isPressed(event.target)) return;
      const act = latest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}

/** Keys that press the link or button that has the focus. */
const PRESSES: readonly string[] = ['Enter', ' '];

function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a[href], button, summary, label') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
