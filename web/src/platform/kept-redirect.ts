const KEY = 'sluice.redirect';

/** Where to go after a sign-in that leads away from this page and back, or that follows a session's end. */
export const keepRedirect = (path: string): void => sessionStorage.setItem(KEY, path);

export const dropRedirect = (): void => sessionStorage.removeItem(KEY);

export const keptRedirect = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined;
