import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { inCheckout } from './bundle-inputs.ts';
import { thirdPartyText } from './third-party.ts';

/** The licences of the packages that the page is built of, as the command has them. The server does not serve it. */
const licences: Plugin = {
  name: 'licences',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      'moduleIds' in file ? file.moduleIds : [],
    );
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.md', source: thirdPartyText(modules) });
  },
};

const config: UserConfig = defineConfig({
  root: inCheckout('src/web/page'),
  // Everything comes from the server of the page, and nothing is written into the HTML: its content security
  // policy refuses inline scripts and styles.
  base: '/',
  plugins: [licences],
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
