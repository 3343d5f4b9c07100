import { defineConfig } from 'vite';

// The page of the dev server and the service have one origin, so nothing is cross-origin.
export default defineConfig({
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
