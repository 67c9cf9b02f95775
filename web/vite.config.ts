import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The font of every text is asked for with the page: what is written in another one first moves when it comes. */
const preloadFont: Plugin = {
  name: 'preload-font',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle }) => {
      const font = Object.keys(bundle ?? {}).find((name) =>
        /inter-latin-wght-normal[^/]*\.woff2$/.test(name),
      );
      if (font === undefined) return [];
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` };
      return [{ tag: 'link', attrs, injectTo: 'head' }];
    },
  },
};

/** What every page needs comes as one file instead of thirty. */
const base =
  /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|i18next|react-i18next|@tanstack[\\/](history|store|react-store|router-core|react-router|query-core|react-query))[\\/]/;

const start =
  /web[\\/]src[\\/](platform[\\/][^\\/]+|platform[\\/]i18n[\\/]i18n\.ts|ui[\\/](toasts|icons)\.tsx)$/;

/** `npm start` serves web/dist itself; the dev server hands calls and the socket on to a running product. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFont],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: 'http://127.0.0.1:4000', ws: true } },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: base },
            { name: 'start', test: start },
          ],
        },
      },
    },
  },
});
