/** `CHROMIUM` names an installed browser, if Playwright has not installed its own. */
export default {
  testMatch: '*.spec.js',
  workers: 1,
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } },
};
