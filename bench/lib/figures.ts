import { median } from './stats.ts';

/** Figures by measurement and subject, one per round. */
export class Figures {
  readonly #rounds = new Map<string, number[]>();

  add(what: string, whom: string, figure: number): void {
    const key = `${what}\n${whom}`;
    const rounds = this.#rounds.get(key);
    if (rounds) rounds.push(figure);
    else this.#rounds.set(key, [figure]);
  }

  /** The median over the rounds; NaN if there is none. */
  of(what: string, whom: string): number {
    return median(this.#of(what, whom));
  }

  /** The median of the ratios of two subjects in the same round. */
  ratio(what: string, whom: string, to: string): number {
    const others = this.#of(what, to);
    return median(this.#of(what, whom).map((figure, i) => figure / (others[i] ?? Number.NaN)));
  }

  /** The lowest and the highest of these ratios. */
  ratioRange(what: string, whom: string, to: string): [number, number] {
    const others = this.#of(what, to);
    const ratios = this.#of(what, whom).map((figure, i) => figure / (others[i] ?? Number.NaN));
    return [Math.min(...ratios), Math.max(...ratios)];
  }

  #of(what: string, whom: string): readonly number[] {
    return this.#rounds.get(`${what}\n${whom}`) ?? [];
  }
}
