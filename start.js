// Starts the service from its sources. Every Node can run this file, so one that cannot run
// TypeScript prints what it takes, and no stack.
import('./src/main.ts').catch((error) => {
  if (error.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
  process.stderr.write(
    `todo-service: Node ${process.versions.node} cannot run TypeScript; use Node 22.18, 23.6 or newer, or type: npm ci && npm start\n`,
  );
  process.exitCode = 2;
});
