import type { AccessLogLine } from './http/middleware/access-log.ts';
import type { AllowedOrigins } from './http/middleware/cors.ts';
import type { HttpSettings } from './http/server/settings.ts';
import type { Log } from './log.ts';
import type { FieldValues } from './resource/field.ts';
import type { TableOptions } from './table/table.ts';
import type { OpenStore } from './todo/store/shared-store.ts';

/** The options of a service; all have defaults. */
export interface AppOptions {
  readonly table?: TableOptions;
  readonly http?: Partial<HttpSettings>;
  /** Opens a store that is shared with other services; without it, items are in memory. */
  readonly openStore?: OpenStore;
  /** The items to start with, and to reset to. */
  readonly seed?: readonly FieldValues[];
  /** The size of the cache of item texts, in bytes. */
  readonly cacheBytes?: number;
  /** The origins whose pages may call the service; none by default. */
  readonly origins?: AllowedOrigins | null;
  /** Whether unknown query parameters are refused. */
  readonly strictQuery?: boolean;
  /** The most event streams open at once; 0 turns them off. */
  readonly maxEventStreams?: number;
  /** The size of the history of events, in bytes. */
  readonly historyBytes?: number;
  /** The token for reset and faults, which do not exist without one. */
  readonly adminToken?: string | null;
  /** Whether to serve metrics. */
  readonly metrics?: boolean;
  /** Receives a line about each request. */
  readonly accessLog?: ((line: AccessLogLine) => void) | null;
  /** Receives log entries, such as unexpected errors. */
  readonly log?: Log;
}
