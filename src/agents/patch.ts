const HEADER = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/;

/**
 * The files that a patch in the format of `apply_patch` writes to, each once, as the patch names them. Blanks
 * before a header count as little as for the agent, so a line of content can look like a header: a file more
 * is looked at, and nothing else comes of it.
 */
export function pathsInPatch(patch: string): string[] {
  const paths = patch.split('\n').flatMap((line) => {
    const [, path] = HEADER.exec(line.trim()) ?? [];
    return path === undefined ? [] : [path];
  });
  return [...new Set(paths)];
}
