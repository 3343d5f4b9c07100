import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The output of `node --cpu-prof`. */
interface Profile {
  readonly nodes: readonly CallNode[];
  readonly samples: readonly number[];
  /** In microseconds, one per sample. */
  readonly timeDeltas: readonly number[];
}

interface CallNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

/** Places where time is spent, besides the layers of `src`. */
export const PLACES = {
  socket: 'writing to sockets',
  node: 'node:http, streams, timers',
  gc: 'garbage collection',
  native: 'other native code',
  floor: 'what the floor does itself',
} as const;

const SOCKET_WRITE = /^write(?:v|Buffer|\w+String)$/;

/**
 * The microseconds that a profiled program spent in each place. Native code counts for its caller.
 */
export function timeByPlace(directory: string, bundle: string): Map<string, number> {
  const [file = ''] = readdirSync(directory);
  const profile: Profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const layers = layersOf(bundle);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const places = new Map<number, string | undefined>();
  const visit = (node: CallNode, callerPlace: string | undefined) => {
    const place = placeOf(node, callerPlace, layers);
    places.set(node.id, place);
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child) visit(child, place);
    }
  };
  const [root] = profile.nodes;
  if (root) visit(root, PLACES.native);
  const times = new Map<string, number>();
  for (const [i, id] of profile.samples.entries()) {
    const place = places.get(id);
    if (place === undefined) continue;
    times.set(place, (times.get(place) ?? 0) + (profile.timeDeltas[i] ?? 0));
  }
  return times;
}

function placeOf(
  { callFrame: { functionName, url, lineNumber } }: CallNode,
  callerPlace: string | undefined,
  layers: readonly string[],
): string | undefined {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return PLACES.gc;
  if (url.startsWith('node:')) return PLACES.node;
  if (url === '') return SOCKET_WRITE.test(functionName) ? PLACES.socket : callerPlace;
  return url.endsWith('main.js') ? (layers[lineNumber] ?? PLACES.native) : PLACES.floor;
}

/**
 * The layer of each line of the bundle, which names each file before its code: `//
 * src/lib/http/server.ts`.
 */
function layersOf(bundle: string): string[] {
  let layer = 'src';
  return readFileSync(bundle, 'utf8')
    .split('\n')
    .map((line) => {
      const [, directory] = /^\/\/ src\/(?:(\w+)\/)?/.exec(line) ?? [];
      if (line.startsWith('// src/')) layer = directory === undefined ? 'src' : `src/${directory}`;
      return layer;
    });
}
