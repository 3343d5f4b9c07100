/** The words of a signature that no page has: spans, of which the first that fits is taken. */
export class FreeWords {
  /** In ascending order. */
  #spans: { from: number; end: number }[];

  /** @param words how many there are, all of them free */
  constructor(words: number) {
    this.#spans = [{ from: 0, end: words }];
  }

  /** Returns the first of so many words in a row that are free; undefined if there are none. */
  find(words: number): number | undefined {
    return this.#spans.find(({ from, end }) => end - from >= words)?.from;
  }

  /** Takes words from the beginning of a span. Returns whether they were free. */
  take(from: number, words: number): boolean {
    const span = this.#spans.find((each) => each.from === from && each.end - from >= words);
    if (!span) return false;
    span.from += words;
    return true;
  }

  /** Gives words back. */
  give(from: number, words: number): void {
    const given = { from, end: from + words };
    const others = this.#spans.filter((span) => {
      if (span.end === given.from) given.from = span.from;
      else if (span.from === given.end) given.end = span.end;
      else return true;
      return false;
    });
    this.#spans = [...others, given].sort((a, b) => a.from - b.from);
  }
}
