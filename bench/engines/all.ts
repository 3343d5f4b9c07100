import type { Candidate } from '../table/measure.ts';
import { AlaSql } from './alasql.ts';
import { LokiJs } from './loki.ts';
import { Ours } from './ours.ts';
import { SqliteLike, SqliteTrigram } from './sqlite.ts';

export const OURS: Candidate = { name: 'this engine', make: () => new Ours() };
export const LIKE: Candidate = { name: 'SQLite', make: () => new SqliteLike() };
export const FTS5: Candidate = {
  name: 'SQLite FTS5',
  make: () => new SqliteTrigram(),
  shortestNeedle: 3,
};
export const LOKI: Candidate = { name: 'lokijs', make: () => new LokiJs() };
export const ALASQL: Candidate = { name: 'alasql', make: () => new AlaSql() };
