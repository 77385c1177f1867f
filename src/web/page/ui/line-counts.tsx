interface CountsProps {
  readonly insertions: number;
  readonly deletions: number;
}

/** Nothing where no line changed: an image, a folder, permissions. */
export function LineCounts({ insertions, deletions }: CountsProps) {
  if (insertions === 0 && deletions === 0) return null;
  return (
    <span class="line-counts">
      <span class="insertions">
        +{insertions.toLocaleString('en')}
        <span class="unseen"> lines added,</span>
      </span>{' '}
      <span class="deletions">
        −{deletions.toLocaleString('en')}
        <span class="unseen"> lines removed</span>
      </span>
    </span>
  );
}
