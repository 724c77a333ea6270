import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

/** Plain tags in the page: what the server serves and the report embeds is three files with fixed names. */
const plainTags: Plugin = {
  name: 'plain-tags',
  enforce: 'post',
  transformIndexHtml: { order: 'post', handler: html => html.replaceAll(' crossorigin', '') },
}

/** Builds the inspector's page; Vitest has its own file, `vitest.config.ts`. */
export default defineConfig({
  root: fileURLToPath(new URL('inspector/page', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [plainTags],
  build: {
    outDir: fileURLToPath(new URL('dist/inspector/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 200,
    rolldownOptions: {
      output: { entryFileNames: 'page.js', chunkFileNames: '[name].js', assetFileNames: 'page[extname]' },
    },
  },
})
