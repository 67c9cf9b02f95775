import { describe, expect, it } from 'vitest';
import { TypeAhead } from './type-ahead.ts';

const titles = ['Attributes', 'Contracts', 'Cost\u00a0centres', 'Customers', 'Éclairs', 'Journal entries'];

describe('[MENU-09] typing in a menu', () => {
  it('letters within 300 ms are one beginning; after that another search begins', () => {
    const menu = new TypeAhead();
    expect(menu.next('c', titles, -1, 0)).toBe(1);
    expect(menu.next('u', titles, 1, 299)).toBe(3);
    expect(menu.next('a', titles, 3, 599)).toBe(0);
  });

  it('the same letter goes round, case and accents do not matter, and no hit stays where it is', () => {
    const menu = new TypeAhead();
    expect(menu.next('C', titles, -1, 0)).toBe(1);
    expect(menu.next('c', titles, 1, 100)).toBe(2);
    expect(menu.next('c', titles, 2, 200)).toBe(3);
    expect(menu.next('c', titles, 3, 300)).toBe(1);
    expect(menu.next('e', titles, 1, 1000)).toBe(4);
    expect(menu.next('x', titles, 4, 2000)).toBe(-1);
  });

  it('a space is found as a space, whatever holds the words together', () => {
    const menu = new TypeAhead();
    let at = -1;
    for (const [i, key] of [...'cost c'].entries()) at = menu.next(key, titles, at, i * 50);
    expect(at).toBe(2);
  });
});
