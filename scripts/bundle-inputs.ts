import { fileURLToPath } from 'node:url';

/** A path of the checkout. */
export function inCheckout(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** The entries of the command's bundle. */
export const BUNDLE_INPUTS: Readonly<Record<string, string>> = {
  main: inCheckout('src/cli/main.ts'),
  hook: inCheckout('src/agents/hook-main.ts'),
  // Found beside the code that starts it.
  'scan-worker': inCheckout('src/capture/scan/scan-worker.ts'),
};
