import { signal } from '@preact/signals';

const said = signal('');

/** Says something to those who do not see the page. */
export function announce(text: string): void {
  said.value = text;
}

export function LiveRegion() {
  return (
    <div role="status" aria-live="polite" class="unseen">
      {said}
    </div>
  );
}
