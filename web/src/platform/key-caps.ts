/** Modifiers in the order in which each platform writes them. */
const MAC = ['Alt', 'Ctrl', 'Shift', 'Cmd'];
const OTHERS = ['Ctrl', 'Alt', 'Shift'];

/** What stands on the keys of a shortcut: `Mod` is Cmd on a Mac and Ctrl elsewhere, modifiers come first. */
export const capsOf = (keys: readonly string[], isMac: boolean): string[] => {
  const order = isMac ? MAC : OTHERS;
  const named = keys.map((key) => (key === 'Mod' ? (isMac ? 'Cmd' : 'Ctrl') : key));
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  return named.toSorted((a, b) => rank(a) - rank(b));
};
