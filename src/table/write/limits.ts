/** What a table may hold. It can change at any time; what is there already stays. */
export interface Limits {
  maxRows: number;
  /** Counted, not measured. */
  maxBytes: number;
}
