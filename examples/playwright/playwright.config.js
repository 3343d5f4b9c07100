/** `CHROMIUM` names an installed browser, if Playwright has not installed its own. */
export default {
  testMatch: '*.spec.js',
  workers: 1,
  // The page may take seconds to connect again on a busy machine.
  expect: { timeout: 20_000 },
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } },
};
