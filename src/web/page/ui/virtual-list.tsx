import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useRoom } from './window.ts';

const BEYOND = 12;

interface ListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly selected: number | null;
  readonly label: string;
  readonly children: (index: number) => ComponentChildren;
}

/**
 * A list of which only the rows in sight are in the document. Rows are `li` of one height, in pixels, that say their
 * place with `aria-posinset` and `aria-setsize`. `selected` stays in sight when it changes.
 */
export function VirtualList({ count, rowHeight, selected, label, children }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const { height } = useRoom(box);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || selected === null) return;
    const at = selected * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = at + rowHeight - element.clientHeight;
    }
  }, [selected, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + BEYOND);
  const rows = [];
  for (let index = first; index < last; index += 1) rows.push(children(index));
  return (
    <div ref={box} class="virtual-list" onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <ol
        aria-label={label}
        style={{
          paddingTop: `${first * rowHeight}px`,
          paddingBottom: `${(count - last) * rowHeight}px`,
        }}
      >
        {rows}
      </ol>
    </div>
  );
}
