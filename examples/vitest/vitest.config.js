// On a busy machine, a test may take longer than five seconds.
export default { test: { globalSetup: './service.js', maxWorkers: 4, testTimeout: 30_000 } };
