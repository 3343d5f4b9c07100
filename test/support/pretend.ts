/** Options of Node (`NODE_OPTIONS`) that make a process state another runtime, or version. */
export function pretendToBe(runtime: 'node' | 'bun' | 'deno', version: string): string {
  const versions = `{ ...process.versions, ${runtime}: '${version}' }`;
  const program = `Object.defineProperty(process, 'versions', { value: ${versions} })`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}
