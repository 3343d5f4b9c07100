/** The digits of the largest id, so that keys sort like ids. */
const ID_DIGITS = 19;

/**
 * The keys of one list below a prefix:
 *
 *     meta                   what all replicas must agree on
 *     fields                 how the fields of rows are described
 *     generation             the name of the current generation of rows
 *     row/<generation>/<id>  one row
 *     head                   written last in every transaction that changes the list
 *
 * Rows of other generations are being prepared or left over, and are never shown.
 */
export class Keys {
  readonly prefix: string;
  readonly meta: string;
  readonly fields: string;
  readonly generation: string;
  readonly head: string;
  readonly rows: string;

  constructor(prefix: string) {
    this.prefix = prefix;
    this.meta = `${prefix}meta`;
    this.fields = `${prefix}fields`;
    this.generation = `${prefix}generation`;
    this.head = `${prefix}head`;
    this.rows = `${prefix}row/`;
  }

  rowsOf(generation: string): string {
    return `${this.rows}${generation}/`;
  }

  row(generation: string, id: number | bigint): string {
    return `${this.rowsOf(generation)}${String(id).padStart(ID_DIGITS, '0')}`;
  }

  /** The generation of a row's key. */
  generationOf(row: string): string {
    return row.slice(this.rows.length, row.indexOf('/', this.rows.length));
  }
}

/**
 * The name for the generation after another one. Names sort by their number. Generations that
 * several replicas prepare at once have the same number, and differ in their random end.
 */
export function nextGeneration(before: string | undefined): string {
  const number = before === undefined ? 1 : numberOf(before) + 1;
  return `${padded(number)}-${crypto.randomUUID()}`;
}

/** A text that sorts after all names with this one's number, and before all later names. */
export function afterGeneration(name: string): string {
  return padded(numberOf(name) + 1);
}

function numberOf(generation: string): number {
  return Number(generation.slice(0, GENERATION_DIGITS));
}

function padded(number: number): string {
  return String(number).padStart(GENERATION_DIGITS, '0');
}

const GENERATION_DIGITS = 10;
