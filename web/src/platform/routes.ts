/** Routes that screens of several features lead to, by the names that the specification gives them. */
export const routes = {
  /** The domains of an external system. */
  manageSystems: '/manage/systems/$systemId/domains',
} as const;
