/**
 * Loads a module of Node when it is first needed. `node:crypto` or `node:perf_hooks` alone would
 * take a tenth of the start.
 */
export const loadModule: typeof process.getBuiltinModule = (id: string) =>
  process.getBuiltinModule(id);
