/** Only a path of this origin, beginning with one slash; anything else is home. */
export const safePath = (path: string | undefined): string => {
  if (!path || !/^\/(?![/\\])/.test(path)) return '/';
  return path.startsWith('/login') ? '/' : path;
};
