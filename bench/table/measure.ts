import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../engines/engine.ts';
import { Figures } from '../lib/figures.ts';
import { counterOf, needlesMatching } from '../lib/needles.ts';
import { randomOf } from '../lib/random.ts';
import { progress } from '../lib/report.ts';
import { type Row, rowOf, rowsOf } from '../lib/rows.ts';
import { alternating } from '../lib/stats.ts';
import { SECONDS_TO_SPEED } from '../lib/warm-up.ts';

/** An engine to compare: its name, and how to create an empty one. */
export interface Candidate {
  readonly name: string;
  readonly make: () => Engine;
  /** The shortest needle it can search for. */
  readonly shortestNeedle?: number;
}

/** An engine that has been filled. */
interface Filled extends Candidate {
  readonly engine: Engine;
}

/** The search terms by operation, and the ids of the rows to get. */
interface Reads {
  readonly needles: Readonly<Record<string, readonly string[]>>;
  readonly ids: readonly number[];
}

/** The number of rows inserted at a time. */
const BATCH = 1000;
/** How long a search or a get is repeated in one round, in milliseconds. */
const BUDGET = 150;
/** How long each operation is repeated before it is timed, in milliseconds. */
const WARM_UP = SECONDS_TO_SPEED * 1000;
/** From this size on, filling and emptying takes minutes, so there is one round of it. */
const LARGE = 1_000_000;
/** The maximum number of rows to write before writes are measured. */
const WARM_UP_ROWS = 100_000;

const MOST = 'the';
const HALF = 'for';
const SHORT = ['e', 'w', 'z', 'q', 'th', 'ck', 'zo', 'pl'];

/** Measures every engine at a size: microseconds per operation, bytes per row. */
export async function measure(
  size: number,
  rounds: number,
  candidates: readonly Candidate[],
  figures: Figures,
): Promise<void> {
  await measureWrites(size, rounds, candidates, figures);
  await measureMemory(size, candidates, figures);
  measureReads(size, rounds, candidates, figures);
}

async function measureWrites(
  size: number,
  rounds: number,
  candidates: readonly Candidate[],
  figures: Figures,
): Promise<void> {
  const before = new Map<Candidate, Engine>();
  for (const candidate of candidates) {
    progress(`${size} rows, writes, warming up: ${candidate.name}`);
    const end = performance.now() + WARM_UP;
    while (performance.now() < end) {
      await nextTurn();
      write(Math.min(size, WARM_UP_ROWS), candidate, new Figures(), before);
    }
  }
  const writeRounds = size < LARGE ? rounds : 1;
  for (let round = 0; round < writeRounds; round++) {
    for (const candidate of alternating(candidates, round)) {
      progress(`${size} rows, writes, ${round + 1} of ${writeRounds}: ${candidate.name}`);
      await nextTurn();
      write(size, candidate, figures, before);
    }
  }
  for (const engine of before.values()) engine.close();
}

async function measureMemory(
  size: number,
  candidates: readonly Candidate[],
  figures: Figures,
): Promise<void> {
  for (const candidate of candidates) {
    progress(`${size} rows, memory: ${candidate.name}`);
    await nextTurn();
    figures.add('bytes', candidate.name, bytesOf(size, candidate) / size);
  }
}

function measureReads(
  size: number,
  rounds: number,
  candidates: readonly Candidate[],
  figures: Figures,
): void {
  const rows = rowsOf(size);
  const selective = needlesMatching(rows, { min: 10, max: 50, wanted: 25 });
  const filled = candidates.map((candidate) => ({ ...candidate, engine: fill(candidate, rows) }));
  checkAnswers(rows, selective, filled);
  const found = selective.map(counterOf(rows)).reduce((sum, count) => sum + count);
  figures.add('found', 'each', found / selective.length);
  const random = randomOf(size);
  const ids = Array.from({ length: 1000 }, () => 1 + Math.floor(random() * size));
  const reads: Reads = { needles: { selective, most: [MOST], short: SHORT }, ids };
  for (const each of filled) {
    progress(`${size} rows, reads, warming up: ${each.name}`);
    read(reads, WARM_UP, each, new Figures());
  }
  for (let round = 0; round < rounds; round++) {
    for (const each of alternating(filled, round)) {
      progress(`${size} rows, reads, ${round + 1} of ${rounds}: ${each.name}`);
      read(reads, BUDGET, each, figures);
    }
  }
  for (const { engine } of filled) engine.close();
}

/** Waits until nothing on the stack retains the previous engine. */
function nextTurn(): Promise<void> {
  return setTimeout(100);
}

/**
 * Fills an engine, and then removes half of its rows.
 *
 * @param before the last engine of each candidate. It is kept until this one has been measured,
 *   because V8 drops the code that it optimized for a class with the last object of that class
 */
function write(
  size: number,
  candidate: Candidate,
  figures: Figures,
  before: Map<Candidate, Engine>,
): void {
  gc?.();
  const engine = candidate.make();
  let inserting = 0;
  for (const rows of batches(size)) inserting += timed(() => engine.insert(rows));
  figures.add('insert', candidate.name, inserting / size);
  figures.add(
    'remove',
    candidate.name,
    timed(() => engine.remove(HALF)),
  );
  before.get(candidate)?.close();
  before.set(candidate, engine);
}

/**
 * Returns the bytes of an engine with rows that nothing else references, so that it alone retains
 * their texts.
 */
function bytesOf(size: number, { make }: Candidate): number {
  const before = heapBytes();
  const engine = make();
  for (const rows of batches(size)) engine.insert(rows);
  const bytes = heapBytes() - before + engine.nativeBytes();
  engine.close();
  return bytes;
}

/** Makes the rows 1 to `size`, a batch at a time. */
function* batches(size: number): Generator<readonly Row[]> {
  for (let first = 1; first <= size; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, size + 1 - first) }, (_, i) => first + i);
    yield ids.map(rowOf);
  }
}

/** Repeats each read for a time, in milliseconds. */
function read(
  { needles, ids }: Reads,
  budget: number,
  { name, engine, shortestNeedle = 1 }: Filled,
  figures: Figures,
): void {
  gc?.();
  for (const [what, all] of Object.entries(needles)) {
    const possible = all.filter(({ length }) => length >= shortestNeedle);
    if (possible.length === 0) continue;
    figures.add(
      what,
      name,
      repeated(budget, possible, (needle) => engine.search(needle)),
    );
  }
  figures.add('get', name, repeated(budget, [ids], (each) => getAll(engine, each)) / ids.length);
}

function getAll(engine: Engine, ids: readonly number[]): void {
  for (const id of ids) if (engine.get(id) === undefined) throw new Error(`no row ${id}`);
}

function fill({ make, name }: Candidate, rows: readonly Row[]): Engine {
  progress(`${rows.length} rows, filling: ${name}`);
  const engine = make();
  for (let first = 0; first < rows.length; first += BATCH) {
    engine.insert(rows.slice(first, first + BATCH));
  }
  return engine;
}

/**
 * Checks that all engines find the same rows, and that the needles match as many rows as they
 * should.
 */
function checkAnswers(
  rows: readonly Row[],
  selective: readonly string[],
  filled: readonly Filled[],
): void {
  const countOf = counterOf(rows);
  const shareOf = (needle: string) => countOf(needle) / rows.length;
  if (shareOf(MOST) < 0.6 || Math.abs(shareOf(HALF) - 0.5) > 0.05) {
    throw new Error('the needles do not match as many rows as they should');
  }
  for (const needle of [...selective, MOST, HALF, ...SHORT]) {
    const wanted = countOf(needle);
    for (const { name, engine, shortestNeedle = 1 } of filled) {
      if (needle.length < shortestNeedle) continue;
      const found = engine.search(needle).length;
      if (found !== wanted)
        throw new Error(`${name} finds ${found} of ${wanted} rows: "${needle}"`);
    }
  }
}

/**
 * Repeats a call with one operand after the other until the time is up. Each operand is used
 * equally often, because their times differ much.
 *
 * @param budget the time, in milliseconds
 * @returns the microseconds per call
 */
function repeated<T>(budget: number, operands: readonly T[], call: (operand: T) => void): number {
  const start = performance.now();
  for (let rounds = 1; ; rounds++) {
    for (const operand of operands) call(operand);
    const elapsed = performance.now() - start;
    if (elapsed > budget) return (elapsed * 1000) / (rounds * operands.length);
  }
}

/** @returns microseconds */
function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1000;
}

function heapBytes(): number {
  gc?.();
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
