import { runGroup } from './run-group.ts';

await runGroup('unit-http');
