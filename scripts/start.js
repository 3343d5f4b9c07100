// What `npm start` runs. npm starts it through a shell, and a signal to npm ends nothing but the
// shell; so the service stops, in good order, when its parent is gone. (`exec` would do, but is
// not known to the shell of Windows.)
const CHECK_MS = 100;

const parent = process.ppid;
const check = () => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGTERM');
};
const timer = setInterval(check, CHECK_MS).unref();

await import('../dist/main.js');
