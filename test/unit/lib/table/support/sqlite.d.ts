/** The part of node:sqlite that the tests use; the types of the oldest supported Node lack it. */
declare module 'node:sqlite' {
  type SqlValue = string | number | bigint | null;

  export class StatementSync {
    run(...values: SqlValue[]): unknown;
    all(...values: SqlValue[]): Record<string, SqlValue>[];
    setReadBigInts(enabled: boolean): void;
  }

  export class DatabaseSync {
    constructor(path: string);
    exec(sql: string): void;
    prepare(sql: string): StatementSync;
    function(
      name: string,
      options: { deterministic: boolean },
      call: (value: SqlValue) => SqlValue,
    ): void;
    close(): void;
  }
}
