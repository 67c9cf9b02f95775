const KEY = 'sluice.redirect';

/** Where to go after a sign-in that leads away from this page and back. */
export const keepRedirect = (path: string | undefined): void => {
  if (path === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, path);
};

export const takeRedirect = (): string | undefined => {
  const path = sessionStorage.getItem(KEY) ?? undefined;
  sessionStorage.removeItem(KEY);
  return path;
};
