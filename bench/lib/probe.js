/* Preloaded into a server whose profile is written when it exits by itself. */
process.on('message', (what) => {
  if (what === 'exit') process.exit();
});
process.channel?.unref();
