import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'vite';

const inCheckout = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const config: UserConfig = defineConfig({
  root: inCheckout('src/web/page'),
  // Everything comes from the server of the page, and nothing is written into the HTML: its content security
  // policy refuses inline scripts and styles.
  base: '/',
  build: {
    outDir: inCheckout('dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Highlighters of source text are large, and loaded by a view that shows a diff.
    chunkSizeWarningLimit: 1000,
  },
});

export default config;
