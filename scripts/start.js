// Run by `npm start`. A signal to npm ends only the shell between npm and this process, so this
// process stops gracefully when that shell has ended. (The shell of Windows has no `exec`, which
// would replace it.)
const CHECK_MS = 100;

const parent = process.ppid;
const check = () => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
};
const timer = setInterval(check, CHECK_MS).unref();

await import('../dist/main.js');
