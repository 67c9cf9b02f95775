import { describe, expect, it } from 'vitest';
import { Steps } from './steps.ts';

/** Work that ends when it is told to. */
const held = () => {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  return { work: () => promise, finish: () => resolve(undefined), fail: () => reject(new Error('refused')) };
};
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('steps', () => {
  it('run at the same time over different rows, one after the other over the same', async () => {
    const steps = new Steps();
    const begun: string[] = [];
    const first = held();
    const running = steps.run(new Set(['a', 'b']), first.work);
    void steps.run(new Set(['c']), async () => begun.push('c'));
    const next = steps.run(new Set(['b']), async () => begun.push('b'));
    await settled();
    expect(begun).toEqual(['c']);
    first.finish();
    await Promise.all([running, next]);
    expect(begun).toEqual(['c', 'b']);
    expect(steps.isRunning).toBe(false);
  });

  it('wait for a step whose rows are not known yet, and go on when it failed', async () => {
    const steps = new Steps();
    const paste = held();
    const broken = steps.run(null, paste.work);
    let isSent = false;
    const edit = steps.run(new Set(['a']), async () => {
      isSent = true;
    });
    await settled();
    expect(isSent).toBe(false);
    paste.fail();
    await expect(broken).rejects.toThrow('refused');
    await edit;
    expect(isSent).toBe(true);
  });
});
