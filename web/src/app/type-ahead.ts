const WAIT_MS = 300;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll('\u00a0', ' ')
    .toLowerCase();

/** Finds titles by what is typed: their beginnings, accents ignored. A pause of 300 ms begins anew. */
export class TypeAhead {
  private typed = '';
  private lastAt = Number.NEGATIVE_INFINITY;

  /**
   * Place of the title to go to, or -1. `at` is where one stands (-1 = nowhere), `now` the time in ms. The same
   * letter again goes round through the titles that begin with it.
   */
  next(key: string, titles: readonly string[], at: number, now: number): number {
    const letter = plain(key);
    if (now - this.lastAt >= WAIT_MS) this.typed = '';
    this.lastAt = now;
    const isSameLetter = this.typed !== '' && [...this.typed].every((one) => one === letter);
    this.typed += letter;
    const find = (wanted: string, from: number): number => {
      for (let i = 0; i < titles.length; i++) {
        const place = (from + i) % titles.length;
        if (plain(titles[place] ?? '').startsWith(wanted)) return place;
      }
      return -1;
    };
    const isFirst = this.typed.length === letter.length;
    const found = find(this.typed, Math.max(0, isFirst ? at + 1 : at));
    return found < 0 && isSameLetter ? find(letter, at + 1) : found;
  }
}
