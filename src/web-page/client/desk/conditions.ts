import { type JsonRecord, listOf, markedJson, recordOf } from '../shared/json.ts';

/** A fault, as `/admin/faults` has it (testing.md: "Faults"), its members in the order of that page. */
export type Fault = JsonRecord;

export type Faults = readonly Fault[];

/** A condition of the service: the faults of a switch. The page has its name, and its choices. */
export interface Condition {
  readonly name: string;
  /** The member of its faults whose value the user chooses; empty if there is no choice. */
  readonly member: string;
  readonly minimum: number;
  /** @param scope the path of all items, or nothing */
  readonly faultsOf: (scope: Fault, choice: number) => Faults;
}

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

const condition = (
  name: string,
  member: string,
  minimum: number,
  faultsOf: Condition['faultsOf'],
): Condition => ({ name, member, minimum, faultsOf });

export const CONDITIONS: readonly Condition[] = [
  condition('offline', '', 0, (scope) => [{ ...scope, abort: 'before' }]),
  condition('down', 'status', 400, (scope, status) => [{ ...scope, status }]),
  condition('writes', 'status', 400, (scope, status) =>
    WRITES.map((method) => ({ method, ...scope, status })),
  ),
  condition('flaky', 'rate', 0.01, (scope, rate) => [{ ...scope, rate, status: 503 }]),
  condition('slow', 'delayMs', 1, (scope, delayMs) => [{ ...scope, delayMs }]),
  condition('late', 'responseDelayMs', 1, (scope, responseDelayMs) => [
    { ...scope, responseDelayMs },
  ]),
];

/** The field by which a fault finds requests of the page. */
export const PAGE_FIELD = ['X-Client', 'todo-page'] as const;

/** Keeps the requests of the page from the faults below it. */
export const SPARING: Fault = { requestHeaders: { [PAGE_FIELD[0]]: PAGE_FIELD[1] }, pass: true };

/** A condition that is on, with its faults in the list. */
export interface Part {
  readonly choice: number;
  readonly faults: Faults;
}

/**
 * Finds the faults of switches, at any place of a list: by the names of their conditions, the one
 * that spares the page, and the others.
 * @param path the path of all items; the faults of a condition have this path, or none
 */
export function situationOf(faults: Faults, path: string) {
  const parts = new Map<string, Part>();
  for (const each of CONDITIONS) {
    const part = partIn(faults, each, path);
    if (part !== undefined) parts.set(each.name, part);
  }
  const sparing = faults.filter((fault) => textOf(fault) === textOf(SPARING)).slice(0, 1);
  const own = [...parts.values()].flatMap((part) => part.faults);
  return { parts, sparing, others: without(faults, [...own, ...sparing]) };
}

function partIn(
  faults: Faults,
  { member, minimum, faultsOf }: Condition,
  path: string,
): Part | undefined {
  const texts = faults.map(textOf);
  for (const { [member]: value = 0 } of faults) {
    const choice = Number(value);
    for (const scope of choice >= minimum ? [{ path }, {}] : []) {
      const places = faultsOf(scope, choice).map((fault) => texts.indexOf(textOf(fault)));
      if (places.includes(-1)) continue;
      return { choice, faults: faults.filter((_, place) => places.includes(place)) };
    }
  }
  return undefined;
}

export function without(faults: Faults, removed: Faults): Faults {
  return faults.filter((fault) => !removed.includes(fault));
}

/** The JSON of a fault, without its hits. */
export function textOf({ hits: _, ...fault }: Fault): string {
  return markedJson(fault);
}

/** The faults in the content of a response. */
export function faultsIn(value: unknown): Faults {
  return listOf(recordOf(value).faults).map(recordOf);
}
