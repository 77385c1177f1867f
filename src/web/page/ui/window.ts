import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Whether a media query holds, as it is now. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const hear = () => setHolds(list.matches);
    hear();
    list.addEventListener('change', hear);
    return () => list.removeEventListener('change', hear);
  }, [query]);
  return holds;
}

/** The width or the height within an element in pixels, as it is now; `first` until it is there. */
export function useExtent(
  element: RefObject<HTMLElement | null>,
  of: 'clientWidth' | 'clientHeight',
  first: number,
): number {
  const [extent, setExtent] = useState(first);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => setExtent(current[of]);
    const watch = new ResizeObserver(measure);
    watch.observe(current);
    measure();
    return () => watch.disconnect();
  }, [element, of]);
  return extent;
}

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
