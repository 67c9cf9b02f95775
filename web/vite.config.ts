import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm start` serves web/dist itself; the dev server hands calls and the socket on to a running product. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: 'http://127.0.0.1:4000', ws: true } },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    chunkSizeWarningLimit: 700,
  },
});
