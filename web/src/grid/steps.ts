/** Rows that a step changes; null = not known before it ends. */
type Rows = ReadonlySet<string> | null;

interface Step {
  rows: Rows;
  done: Promise<unknown>;
}

const mayMeet = (a: Rows, b: Rows): boolean => {
  if (a === null || b === null) return true;
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const id of few) if (many.has(id)) return true;
  return false;
};

/**
 * What the user did and the server has not answered yet. Steps over the same rows reach the server in the order in
 * which they were made: what is seen last is what is stored.
 */
export class Steps {
  private readonly running = new Set<Step>();

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Runs `work` once the earlier steps that may concern its rows are over, however they ended. */
  async run<T>(rows: Rows, work: () => Promise<T>): Promise<T> {
    const earlier = [...this.running].filter((step) => mayMeet(step.rows, rows)).map((step) => step.done);
    const done = earlier.length === 0 ? work() : Promise.allSettled(earlier).then(work);
    const step: Step = { rows, done };
    this.running.add(step);
    try {
      return await done;
    } finally {
      this.running.delete(step);
    }
  }
}
