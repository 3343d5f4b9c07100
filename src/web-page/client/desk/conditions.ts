import { type JsonRecord, listOf, recordOf } from '../shared/json.ts';

/** A fault, as `/admin/faults` has it (testing.md: "Faults"). */
export type Fault = JsonRecord;

/** A condition of the service that a switch sets. The page has its name in words, and its choices. */
export interface Condition {
  readonly name: string;
  /** The member of its faults whose value the user chooses; empty if there is no choice. */
  readonly member: string;
  readonly minimum: number;
  readonly faultsOf: (choice: number) => readonly Fault[];
}

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** In the order of their faults, because the first fault that matches a request is applied. */
export const CONDITIONS: readonly Condition[] = [
  { name: 'offline', member: '', minimum: 0, faultsOf: () => [{ abort: 'before' }] },
  { name: 'down', member: 'status', minimum: 400, faultsOf: (status) => [{ status }] },
  {
    name: 'writes',
    member: 'status',
    minimum: 400,
    faultsOf: (status) => WRITES.map((method) => ({ method, status })),
  },
  { name: 'flaky', member: 'rate', minimum: 0.01, faultsOf: (rate) => [{ rate, status: 503 }] },
  { name: 'slow', member: 'delayMs', minimum: 1, faultsOf: (delayMs) => [{ delayMs }] },
  {
    name: 'late',
    member: 'responseDelayMs',
    minimum: 1,
    faultsOf: (responseDelayMs) => [{ responseDelayMs }],
  },
];

/** The field by which a fault finds requests of the page. */
export const PAGE_FIELD = ['X-Client', 'todo-page'] as const;

/** The first fault if the page is spared: it does nothing, and so keeps the others away. */
const SPARING: Fault = { requestHeaders: { [PAGE_FIELD[0]]: PAGE_FIELD[1] }, delayMs: 0 };

/** A condition that is on, or one fault that belongs to no condition. */
export interface Part {
  readonly condition?: Condition;
  readonly choice: number;
  readonly faults: readonly Fault[];
}

/** The faults of a list, by their conditions, in their order. */
export interface Situation {
  readonly isPageSpared: boolean;
  readonly parts: readonly Part[];
}

/** The faults of a situation, without their hits. */
export function faultsOf({ isPageSpared, parts }: Situation): readonly Fault[] {
  const faults = parts.flatMap((part) => part.faults.map(({ hits: _, ...fault }) => fault));
  return isPageSpared ? [SPARING, ...faults] : faults;
}

/**
 * Finds the conditions among faults, so that `faultsOf` has the same faults in the same order.
 * @param path the path of all items; the faults of a condition have this path, or none
 */
export function situationOf(faults: readonly Fault[], path: string): Situation {
  const isPageSpared = isSame(faults[0], SPARING);
  const parts: Part[] = [];
  let left = faults.slice(isPageSpared ? 1 : 0);
  while (left.length > 0) {
    const free = CONDITIONS.filter((each) => !parts.some(({ condition }) => condition === each));
    const [part] = free.flatMap((condition) => partsAt(left, condition, path));
    parts.push(part ?? { choice: 0, faults: left.slice(0, 1) });
    left = left.slice(part?.faults.length ?? 1);
  }
  return { isPageSpared, parts };
}

/** The condition, if the first faults are its own. */
function partsAt(left: readonly Fault[], condition: Condition, path: string): readonly Part[] {
  const choice = Number(left[0]?.[condition.member] ?? 0);
  if (!(choice >= condition.minimum)) return [];
  return [{ path }, {}].flatMap((scope) => {
    const expected = partOf(condition, choice, scope).faults;
    const isIt = expected.every((fault, at) => isSame(fault, left[at]));
    return isIt ? [{ condition, choice, faults: left.slice(0, expected.length) }] : [];
  });
}

function partOf(condition: Condition, choice: number, scope: Fault): Part {
  const faults = condition.faultsOf(choice).map((fault) => ({ ...scope, ...fault }));
  return { condition, choice, faults };
}

/**
 * The situation with a condition on, before the parts that would keep requests from it. Of
 * conditions that meet all requests, there is one.
 */
export function withCondition(
  { isPageSpared, parts }: Situation,
  condition: Condition,
  choice: number,
  path: string,
): Situation {
  const part = partOf(condition, choice, { path });
  const rank = rankOf(part, path);
  const others = parts.filter(
    (each) =>
      each.condition !== condition &&
      !(each.condition && isGeneral(each, path) && isGeneral(part, path)),
  );
  const before = others.filter((each) => rankOf(each, path) < rank);
  const after = others.filter((each) => rankOf(each, path) >= rank);
  return { isPageSpared, parts: [...before, part, ...after] };
}

/** The place of a part: a special fault precedes the conditions, a general one follows them. */
function rankOf(part: Part, path: string): number {
  if (part.condition !== undefined) return CONDITIONS.indexOf(part.condition);
  return isGeneral(part, path) ? CONDITIONS.length : -1;
}

const SPECIAL = ['method', 'route', 'requestHeaders', 'query', 'rate', 'skip', 'times'];

/** Whether the faults of a part meet all requests for items. */
function isGeneral({ faults }: Part, path: string): boolean {
  return faults.every(
    (fault) => (fault.path ?? path) === path && !SPECIAL.some((name) => name in fault),
  );
}

/** How many requests a part has met. */
export function hitsOf({ faults }: Part): number {
  return faults.reduce((sum, { hits }) => sum + Number(hits ?? 0), 0);
}

/** The faults in the content of a response. */
export function faultsIn(value: unknown): readonly Fault[] {
  return listOf(recordOf(value).faults).map(recordOf);
}

/** Whether two faults are equal apart from their hits and the order of members. */
function isSame(a: Fault | undefined, b: Fault | undefined): boolean {
  return sortedJson({ ...a, hits: 0 }) === sortedJson({ ...b, hits: 0 });
}

function sortedJson(fault: Fault): string {
  return JSON.stringify(fault, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
