/** `CHROMIUM` names an installed browser, if Playwright has not installed its own. */
export default {
  testMatch: '*.spec.js',
  workers: 4,
  fullyParallel: true,
  // One service for all workers. The port that it found goes to `TODO_PORT`.
  webServer: {
    command: 'npx todo-service --port 0 --admin-token secret --lists-by-header on',
    wait: { stdout: /"port":(?<todo_port>\d+)/ },
  },
  // The page may take seconds to connect again on a busy machine.
  timeout: 60_000,
  expect: { timeout: 20_000 },
  use: {
    baseURL: `http://localhost:${process.env.TODO_PORT}`,
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
};
