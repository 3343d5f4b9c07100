/**
 * Loads a module of Node on first use, because `node:crypto` or `node:perf_hooks` would each take a
 * tenth of the start.
 */
export const loadModule: typeof process.getBuiltinModule = (id: string) =>
  process.getBuiltinModule(id);
