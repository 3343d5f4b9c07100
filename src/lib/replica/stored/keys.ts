/** The digits of the largest id, so that keys sort like ids. */
const ID_DIGITS = 19;

/** The digits of a generation's number, so that names sort by it. */
const GENERATION_DIGITS = 10;

/** The keys of one list. */
export type Keys = ReturnType<typeof keysOf>;

/**
 * The keys of one list below a prefix. Rows of other generations than the current one are being
 * prepared or left over, and are never shown.
 *
 *     meta                   what all replicas must agree on
 *     fields                 how the fields of rows are described
 *     generation             the name of the current generation of rows
 *     row/<generation>/<id>  one row
 *     head                   written last in every transaction that changes the list
 */
export function keysOf(prefix: string) {
  const rows = `${prefix}row/`;
  const rowsOf = (generation: string) => `${rows}${generation}/`;
  return {
    prefix,
    meta: `${prefix}meta`,
    fields: `${prefix}fields`,
    generation: `${prefix}generation`,
    head: `${prefix}head`,
    rows,
    rowsOf,
    row: (generation: string, id: number | bigint) =>
      `${rowsOf(generation)}${String(id).padStart(ID_DIGITS, '0')}`,
    /** The generation of a row's key. */
    generationOf: (row: string) => row.slice(rows.length, row.indexOf('/', rows.length)),
  };
}

/**
 * Names the first generation, or the one after another: a number, by which names sort, and a random
 * end, in which those differ that several replicas prepare at once.
 */
export function nextGeneration(before = ''): string {
  return `${afterGeneration(before)}-${crypto.randomUUID()}`;
}

/** A text that sorts after all names with this one's number, and before all later names. */
export function afterGeneration(name: string): string {
  const number = Number(name.slice(0, GENERATION_DIGITS)) + 1;
  return String(number).padStart(GENERATION_DIGITS, '0');
}
