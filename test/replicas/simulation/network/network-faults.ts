/**
 * The faults of a network. Rates are probabilities from 0 to 1, of each message or, for
 * streams, of each piece.
 */
export interface NetworkFaults {
  /** The maximum time that a message takes on its way, in milliseconds. */
  readonly latencyMs: number;
  /** Messages that take up to `slowMs`: others overtake them. */
  readonly slow: number;
  readonly slowMs: number;
  /** Requests whose connection breaks before they arrive, and responses that get lost so. */
  readonly losesRequest: number;
  readonly losesResponse: number;
  /** Responses that stop at some byte, and never go on or break off. */
  readonly stalls: number;
  /** Responses that arrive in pieces. */
  readonly splits: number;
  /** Pieces that wait for `joinMs`, and arrive as one with those that follow meanwhile. */
  readonly joins: number;
  readonly joinMs: number;
  /** Requests that arrive twice, the second time up to `twiceMs` later. */
  readonly twice: number;
  readonly twiceMs: number;
  /** Requests to which something answers that is not etcd, whether or not etcd has done them. */
  readonly garbles: number;
  /** Watches of which only the head of the response arrives. */
  readonly hidesWatch: number;
}

export const NO_FAULTS: NetworkFaults = {
  ...{ latencyMs: 1, slow: 0, slowMs: 0, losesRequest: 0, losesResponse: 0, stalls: 0, splits: 0 },
  ...{ joins: 0, joinMs: 0, twice: 0, twiceMs: 0, garbles: 0, hidesWatch: 0 },
};

/** Faults that occur together, each on some links for a while. */
export const FAULT_MIXES: readonly [NetworkFaults, ...NetworkFaults[]] = [
  { ...NO_FAULTS, slow: 0.3, slowMs: 60 },
  { ...NO_FAULTS, slow: 0.1, slowMs: 4_000, twice: 0.1, twiceMs: 4_000 },
  { ...NO_FAULTS, losesRequest: 0.1, losesResponse: 0.1, splits: 0.2 },
  { ...NO_FAULTS, losesResponse: 0.5 },
  { ...NO_FAULTS, twice: 1, twiceMs: 3 },
  { ...NO_FAULTS, twice: 0.3, twiceMs: 3_000, losesResponse: 0.2, slow: 0.1, slowMs: 500 },
  { ...NO_FAULTS, garbles: 0.3 },
  { ...NO_FAULTS, garbles: 0.2, twice: 0.3, twiceMs: 1_000 },
  { ...NO_FAULTS, stalls: 0.05, splits: 0.5, slow: 0.2, slowMs: 20 },
  { ...NO_FAULTS, hidesWatch: 0.5, losesResponse: 0.05, stalls: 0.02 },
  {
    ...NO_FAULTS,
    ...{ latencyMs: 5, slow: 0.1, slowMs: 3_000, losesRequest: 0.05, losesResponse: 0.05 },
    ...{ stalls: 0.02, splits: 0.2, twice: 0.1, twiceMs: 5_000, garbles: 0.05, hidesWatch: 0.1 },
  },
];

/** Responses of other programs. None of them has the shape of etcd's own. */
export const GARBAGE: readonly [Garbage, ...Garbage[]] = [
  ok('{}'),
  ...(['[]', '"ok"', 'null', '', '{"header":{}}', '{"succeeded":"yes"}'] as const).map(ok),
  ...(['{"succeeded":true}', '<html>Log in</html>', '{"header":{"revision":7}}'] as const).map(ok),
  ok('{"result":{}}\n'),
  { status: 301, body: '' },
  { status: 404, body: '404 page not found\n' },
  { status: 413, body: '<html>Too large</html>' },
  { status: 429, body: '{"retry":"later"}' },
  { status: 502, body: '<html>Bad gateway</html>' },
  // etcd's own response when the outcome is unknown.
  { status: 503, body: '{"error":"x","message":"etcdserver: request timed out","code":14}' },
  { status: 429, body: '{"error":"x","message":"grpc: trying to send too much","code":8}' },
];

interface Garbage {
  readonly status: number;
  readonly body: string;
}

function ok(body: string): Garbage {
  return { status: 200, body };
}
