export default { test: { globalSetup: './service.js', maxWorkers: 4 } };
