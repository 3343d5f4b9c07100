/* Preloaded into a server whose memory or profile is measured. */
process.on('message', (what) => {
  if (what === 'exit') process.exit();
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
process.channel?.unref();
