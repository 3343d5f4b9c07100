// Run by `npm start`. npm starts it through a shell, and a signal to npm ends only the shell; so
// the service stops gracefully when its parent has gone. (`exec` would do, but the shell of Windows
// does not have it.)
const CHECK_MS = 100;

const parent = process.ppid;
const check = () => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
};
const timer = setInterval(check, CHECK_MS).unref();

await import('../dist/main.js');
