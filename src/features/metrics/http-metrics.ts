import { clock } from '../../clock.ts';
import { type Middleware, mapResponse } from '../../http/core/handler.ts';
import type { Request } from '../../http/core/request.ts';
import type { Response } from '../../http/core/response.ts';

/** The upper bounds of the buckets, in seconds, as OpenTelemetry recommends. */
export const DURATION_BUCKETS = [
  ...[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
];

/**
 * The methods with a series of their own. All others share one, so that clients cannot create
 * series.
 */
const METHODS = [
  ...['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'],
];

/** How long requests of one kind took. */
export class DurationHistogram {
  /** Requests per bucket; the last element counts those above the last bound. */
  readonly counts = new Float64Array(DURATION_BUCKETS.length + 1);
  /** The sum of all durations, in seconds. */
  sum = 0;

  record(seconds: number): void {
    let bucket = 0;
    while (seconds > (DURATION_BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/** The attributes of a kind of requests, as OpenTelemetry names them. */
export interface RequestKind {
  readonly method: string;
  /** The path as a template; undefined if the path is unknown. */
  readonly route: string | undefined;
  /** Undefined if the connection was closed without a response. */
  readonly status: number | undefined;
}

/**
 * Counts and times requests, from the arrival of the header section until the response is made.
 */
export class HttpMetrics {
  readonly #histograms = new Map<
    string | undefined,
    Map<string, Map<number | undefined, DurationHistogram>>
  >();
  #active = 0;
  /** The kind of the last request, because most are of the same kind as the one before. */
  #last: (RequestKind & { readonly histogram: DurationHistogram }) | undefined;

  /** How many requests are being handled. */
  get active(): number {
    return this.#active;
  }

  /** The durations of requests, by kind. */
  *durations(): Generator<readonly [RequestKind, DurationHistogram]> {
    for (const [route, methods] of this.#histograms) {
      for (const [method, statuses] of methods) {
        for (const [status, histogram] of statuses) yield [{ method, route, status }, histogram];
      }
    }
  }

  readonly middleware: Middleware = (next) => (request) => {
    this.#active++;
    return mapResponse(next(request), request, this.#record);
  };

  readonly #record = (response: Response, request: Request): Response => {
    this.#active--;
    const status = response.isAborted ? undefined : response.status;
    const seconds = (clock.now() - request.receivedAt) / 1000;
    this.#histogram(request.method, request.template, status).record(seconds);
    return response;
  };

  #histogram(
    method: string,
    route: string | undefined,
    status: number | undefined,
  ): DurationHistogram {
    const last = this.#last;
    if (last?.method === method && last.route === route && last.status === status) {
      return last.histogram;
    }
    const histogram = this.#find(method, route, status);
    this.#last = { method, route, status, histogram };
    return histogram;
  }

  #find(method: string, route: string | undefined, status: number | undefined): DurationHistogram {
    const methods = entry(
      this.#histograms,
      route,
      newMap<string, Map<number | undefined, DurationHistogram>>,
    );
    const known = METHODS.includes(method) ? method : '_OTHER';
    const statuses = entry(methods, known, newMap<number | undefined, DurationHistogram>);
    return entry(statuses, status, newHistogram);
  }
}

/** The value of a key; created on first use. */
function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function newMap<K, V>(): Map<K, V> {
  return new Map();
}

function newHistogram(): DurationHistogram {
  return new DurationHistogram();
}
