/** A small deterministic generator (mulberry32), so that the seed is the same on every machine. */
export class Random {
  #state: number;

  /** The same parts give the same numbers, whatever was drawn elsewhere. */
  constructor(...parts: (string | number)[]) {
    let hash = 2166136261;
    for (const part of parts) {
      const text = String(part);
      for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
      hash = Math.imul(hash ^ 31, 16777619);
    }
    this.#state = hash >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.next() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  /** An amount with two decimals. */
  money(min: number, max: number): number {
    return Math.round((min + this.next() * (max - min)) * 100) / 100;
  }

  guid(): string {
    const hex = Array.from({ length: 8 }, () => this.int(0, 65535).toString(16).padStart(4, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}

const day = 86_400_000;
export function dateFrom(start: string, days: number): string {
  return new Date(Date.parse(`${start}T00:00:00Z`) + days * day).toISOString().slice(0, 10);
}
