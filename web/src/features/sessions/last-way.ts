const KEY = 'sluice.lastWay';

/** How somebody signed in on this computer before: `password` or a provider; null the first time. */
export const lastWay = (): string | null => localStorage.getItem(KEY);

export const rememberWay = (way: string): void => localStorage.setItem(KEY, way);
