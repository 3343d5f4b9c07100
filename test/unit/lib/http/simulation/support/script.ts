import type { Random } from '../../../table/support/random.ts';

/** How a handler responds. */
export type Plan = 'now' | 'later' | 'parts' | 'early' | 'early, later' | 'last' | 'throws late';

/** A request that a client sends. */
export interface Sent {
  readonly plan: Plan;
  /** The sizes of the pieces of its content; undefined if it has none. */
  readonly pieces: readonly number[] | undefined;
  readonly isDeclared: boolean;
  /** Whether it has `Connection: close`. */
  readonly isFinal: boolean;
  readonly awaitsContinue: boolean;
  readonly hasTrailers: boolean;
}

/** A part of a request, as a parser reports it. */
export type Atom =
  | { readonly kind: 'part of a head' | 'end' | 'bad'; readonly bytes: number }
  | { readonly kind: 'head'; readonly bytes: number; readonly sent: Sent }
  | { readonly kind: 'piece'; readonly bytes: number };

export type Ending = 'silence' | 'half-close' | 'reset' | 'gone' | 'bad' | 'cut';

/** All that one client does. */
export interface Script {
  readonly segments: readonly (readonly Atom[])[];
  readonly ending: Ending;
  /** It reads in one of `readsOneIn` moves; 0 if it never reads. */
  readonly readsOneIn: number;
  /** Whether it ends its side when the server has ended its own. */
  readonly isPolite: boolean;
}

const PLANS = ['now', 'now', 'now', 'later', 'parts', 'early', 'early, later'] as const;

/** Makes up a client. */
export function script(random: Random): Script {
  const atoms: Atom[] = [];
  const count = random.chance(20) ? 150 + random.below(2) : 1 + random.below(6);
  let isLast = false;
  for (let i = 0; i < count; i++) {
    // Some send on after they have asked for the end.
    if (isLast && !random.chance(4)) break;
    // Many requests without content reach the limit of requests; content reaches the limit of bytes.
    const sent = request(random, count <= 6 || count % 2 === 0);
    isLast ||= sent.isFinal;
    atoms.push(...atomsOf(random, sent));
  }
  const endings = ['silence', 'silence', 'half-close', 'reset', 'gone', 'bad', 'cut'] as const;
  const ending = random.pick(endings);
  if (ending === 'bad') atoms.push({ kind: 'bad', bytes: 1 + random.below(50) });
  const isCut = ending === 'cut' || (ending === 'reset' && random.chance(2));
  if (isCut) atoms.splice(1 + random.below(atoms.length));
  const segments: Atom[][] = [];
  const size = random.pick([1, 1, 4, 40, 1_000]);
  while (atoms.length > 0) segments.push(atoms.splice(0, 1 + random.below(size)));
  const readsOneIn = random.pick([1, 1, 3, 20, 0]);
  return { segments, ending, readsOneIn, isPolite: !random.chance(3) };
}

function request(random: Random, mayHaveContent: boolean): Sent {
  const plan = random.pick<Plan>(random.chance(30) ? ['last', 'throws late'] : PLANS);
  const size = random.pick([1, 100, 5_000, 50_000]);
  const hasContent = mayHaveContent && random.chance(2);
  const pieces = Array.from({ length: 1 + random.below(4) }, () => 1 + random.below(size));
  return {
    plan,
    pieces: hasContent ? pieces : undefined,
    isDeclared: random.chance(2),
    isFinal: random.chance(20),
    awaitsContinue: random.chance(10),
    hasTrailers: random.chance(20),
  };
}

function atomsOf(random: Random, sent: Sent): readonly Atom[] {
  const parts = random.list(2, () => ({
    ...({ kind: 'part of a head', bytes: 1 + random.below(4_000) } as const),
  }));
  const head = { kind: 'head', bytes: 1 + random.below(300), sent } as const;
  if (sent.pieces === undefined) return [...parts, head];
  const pieces = sent.pieces.map((bytes) => ({ kind: 'piece', bytes }) as const);
  return [...parts, head, ...pieces, { kind: 'end', bytes: sent.isDeclared ? 0 : 5 }];
}
