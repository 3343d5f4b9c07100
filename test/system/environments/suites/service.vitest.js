import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';

createRequire(import.meta.url)('./service.cjs').define({ test, expect, timers: vi });
