const NAME_OR_ADDRESS = /^(\[[0-9a-f:.]+\]|[\w.-]+)$/i;

/**
 * The URL of a database server, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; null for any other text. It is strict:
 * where a password has a "/", "?", "#" or "@" in it as such, a part of the password would pass for a host or a database,
 * and those are shown. `?` and `#` are for the caller to refuse.
 */
export function readServerUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return null;
  const isWhole = url.username !== '' && NAME_OR_ADDRESS.test(url.hostname);
  return isWhole && !/[/@]/.test(url.pathname.slice(1)) ? url : null;
}

/** Whether it says more than where the server is. */
export function hasSettings({ search, hash }: URL): boolean {
  return search !== '' || hash !== '';
}
