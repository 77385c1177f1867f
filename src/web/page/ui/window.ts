import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

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

/** The room within an element in pixels, as it is now. */
export function useRoom(element: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [room, setRoom] = useState({ width: 800, height: 600 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => setRoom({ width: current.clientWidth, height: current.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(current);
    measure();
    return () => watch.disconnect();
  }, [element]);
  return room;
}
