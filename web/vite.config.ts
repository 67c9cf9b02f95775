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

const texts = (...parts: string[]): Record<'EN' | 'NL', string[]> => ({
  EN: parts.map((part) => `platform/i18n/${part}en.ts`),
  NL: parts.map((part) => `platform/i18n/${part}nl.ts`),
});

/** Modules that a page needs besides the start: of who is not logged in, of everyone who is, and of the dashboard. */
const firstModules = {
  login: { screens: ['features/sessions/login-screen.tsx'], texts: texts('start-') },
  inside: { screens: ['app/shell.tsx'], texts: texts('start-', '') },
  dashboard: { screens: ['app/dashboard-route.tsx'], texts: texts('manage-part-') },
};

/** `first-files.json`: their files, so that the server names them in the page (server/src/platform/web.ts). */
const firstFiles: Plugin = {
  name: 'first-files',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    const closure = (name: string, found: Set<string>): Set<string> => {
      const chunk = chunks.find(({ fileName }) => fileName === name);
      if (!chunk || found.has(name)) return found;
      found.add(name);
      for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css);
      for (const next of chunk.imports) closure(next, found);
      return found;
    };
    const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/web/index.html'));
    // The page of the grid's benchmark is built with this file too.
    if (!entry) return;
    const known = closure(entry.fileName, new Set());
    const filesOf = (modules: string[]): string[] => {
      const found = new Set<string>();
      for (const module of modules) {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/web/src/${module}`));
        if (!chunk) throw new Error(`${module} is no file of its own: mend firstModules`);
        closure(chunk.fileName, found);
      }
      return [...found].filter((name) => !known.has(name)).map((name) => `/${name}`);
    };
    const files = Object.entries(firstModules).map(([page, { screens, texts: words }]) => [
      page,
      { EN: filesOf([...screens, ...words.EN]), NL: filesOf([...screens, ...words.NL]) },
    ]);
    this.emitFile({
      type: 'asset',
      fileName: 'first-files.json',
      source: JSON.stringify(Object.fromEntries(files)),
    });
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
  plugins: [react(), preloadFont, firstFiles],
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
            // What several parts share would be dozens of files of a kilobyte or two, each with a call of its own.
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 9_000 },
          ],
        },
        // Otherwise named by all that share them.
        chunkFileNames: ({ name }) => `assets/${name.startsWith('shared') ? 'shared' : name}-[hash].js`,
      },
    },
  },
});
