import { FileDiff } from '@pierre/diffs';

/** Draws a diff on this page, and resolves to the milliseconds until all of it is there in colours. */
globalThis.showDiff = async (name, before, after, lines) => {
  document.body.replaceChildren();
  const begin = performance.now();
  const diff = new FileDiff({ diffStyle: 'split', lineDiffType: 'word' });
  diff.render({
    oldFile: { name, contents: before },
    newFile: { name, contents: after },
    containerWrapper: document.body,
  });
  const isThere = () => {
    const root = document.querySelector('diffs-container')?.shadowRoot;
    const drawn = root?.querySelectorAll('[data-line]').length ?? 0;
    return drawn >= lines && root?.querySelector('[data-line] span[style]') !== null;
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  while (!isThere()) await frame();
  await frame();
  const elapsed = performance.now() - begin;
  diff.cleanUp();
  return elapsed;
};
