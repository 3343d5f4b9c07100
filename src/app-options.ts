import type { AccessLogLine } from './http/middleware/access-log.ts';
import type { AllowedOrigins } from './http/middleware/cors.ts';
import type { HttpSettings } from './http/server/settings.ts';
import type { Log } from './log.ts';
import type { FieldValues } from './resource/field.ts';
import type { TableOptions } from './table/table.ts';

/** What a service can be told; everything has a default. */
export interface AppOptions {
  readonly table?: TableOptions;
  readonly http?: Partial<HttpSettings>;
  /** The items that there are at first, and after a reset. */
  readonly seed?: readonly FieldValues[];
  /** What representations may take that were sent before, in bytes. */
  readonly cacheBytes?: number;
  /** The origins whose pages may use the service; none unless they are given. */
  readonly origins?: AllowedOrigins | null;
  /** Query parameters that are not known are refused. */
  readonly strictQuery?: boolean;
  /** Event streams that may be open at once; with 0 there are none. */
  readonly maxEventStreams?: number;
  /** What the history of events may take, in bytes. */
  readonly historyBytes?: number;
  /** Who has it may reset the service and inject faults; nobody unless it is given. */
  readonly adminToken?: string | null;
  /** Whether there are metrics. */
  readonly metrics?: boolean;
  /** Where a line about each request goes; nowhere unless it is given. */
  readonly accessLog?: ((line: AccessLogLine) => void) | null;
  /** Where faults are written down; nowhere unless it is given. */
  readonly log?: Log;
}
