/* Loaded before a server whose memory is to be known. */
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
process.channel?.unref();
