import type { Config } from './config/config.ts';
import type { TestControl } from './features/admin/test-control.ts';
import type { HttpSettings } from './http/server/settings.ts';
import type { Log, LogFields } from './log.ts';
import type { FieldValues } from './resource/field.ts';
import type { TableOptions } from './table/table.ts';
import type { OpenStore } from './todo/store/store.ts';

/** What a service consists of, besides its variant; all of it has defaults. */
export interface AppOptions {
  /** The values of settings. */
  readonly config?: Config;
  /** Options of the table; they override settings. */
  readonly table?: TableOptions;
  readonly http?: Partial<HttpSettings>;
  /** Opens the store; by default, items are in memory. */
  readonly openStore?: OpenStore;
  /** The items to start with, and to reset to. */
  readonly seed?: readonly FieldValues[];
  /** The size of the cache of item texts, in bytes. */
  readonly cacheBytes?: number;
  /** The size of the history of events, in bytes. */
  readonly historyBytes?: number;
  /** Receives log entries, such as unexpected errors. */
  readonly log?: Log;
  /** Receives what a program can do with the service; there is more to do with a token. */
  readonly onControl?: (control: TestControl) => void;
  /** Receives lines of the access log. */
  readonly writeAccessLog?: (line: LogFields) => void;
}
