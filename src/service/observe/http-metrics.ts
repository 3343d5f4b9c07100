import { clock } from '../../lib/clock.ts';
import type { Request, Response } from '../../lib/http/index.ts';
import { gauge, metric, type Sample } from './exposition.ts';

/** The upper bounds of the buckets, in seconds, as OpenTelemetry recommends. */
const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** The methods with their own series. Others share one, so that clients cannot create series. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'];
const OTHER = '_OTHER';

interface Durations {
  /** The attributes of the kind, as OpenTelemetry names them; undefined ones are left out. */
  readonly labels: NonNullable<Sample['labels']>;
  /** Requests per bucket; the last element counts requests above the last bound. */
  readonly counts: Float64Array;
  /** The sum of all durations, in seconds. */
  sum: number;
}

/** The label of all requests, because a gateway terminates TLS. */
const SCHEME = { url_scheme: 'http' } as const;

/** Counts and times requests, from their header section until the response is made. */
export class HttpMetrics {
  /** By template of the route, and then by a number for method and status. */
  readonly #byRoute = new Map<string | undefined, Map<number, Durations>>();
  /** The requests in progress by index in METHODS; the last element counts other methods. */
  readonly #active = [...METHODS, OTHER].map(() => 0);

  read(): readonly string[] {
    const all = [...this.#byRoute.values()].flatMap((kinds) => [...kinds.values()]);
    const active = this.#active.map((value, i) => ({
      labels: { http_request_method: METHODS[i] ?? OTHER, ...SCHEME },
      value,
    }));
    const durations = 'http_server_request_duration_seconds';
    const help = 'Duration of HTTP server requests.';
    return [
      metric('histogram', durations, help, all.flatMap(histogramSamples)),
      gauge('http_server_active_requests', 'HTTP server requests in progress.', active),
    ];
  }

  readonly observe = (request: Request): void => {
    const method = methodIndexOf(request);
    this.#active[method] = (this.#active[method] ?? 0) + 1;
    request.onResponse((response) => {
      this.#active[method] = (this.#active[method] ?? 0) - 1;
      const seconds = (clock.now() - request.receivedAt) / 1000;
      const durations = this.#durationsOf(method, request, response);
      const bucket = DURATION_BUCKETS.findIndex((bound) => seconds <= bound);
      const at = bucket === -1 ? DURATION_BUCKETS.length : bucket;
      durations.counts[at] = (durations.counts[at] ?? 0) + 1;
      durations.sum += seconds;
    });
  };

  #durationsOf(method: number, { template }: Request, { status, abort }: Response): Durations {
    const kinds = this.#byRoute.get(template) ?? new Map<number, Durations>();
    // A number, because a string key would take longer than everything else here.
    const kind = status * (METHODS.length + 1) + method;
    let durations = kinds.get(kind);
    if (durations === undefined) {
      const labels = {
        http_request_method: METHODS[method] ?? OTHER,
        http_route: template,
        http_response_status_code: abort ? undefined : status,
        ...SCHEME,
      };
      durations = { labels, counts: new Float64Array(DURATION_BUCKETS.length + 1), sum: 0 };
      this.#byRoute.set(template, kinds.set(kind, durations));
    }
    return durations;
  }
}

/** The index of the method in METHODS; for any other, `METHODS.length`. */
function methodIndexOf({ method }: Request): number {
  const index = METHODS.indexOf(method);
  return index === -1 ? METHODS.length : index;
}

/** Buckets are cumulative: each counts everything up to its bound. */
function histogramSamples({ labels, counts, sum }: Durations): Sample[] {
  let total = 0;
  const buckets = [...counts].map((count, i) => {
    total += count;
    const le = DURATION_BUCKETS[i] ?? '+Inf';
    return { suffix: '_bucket', labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: total },
  ];
}
