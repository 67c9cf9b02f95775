import type { Session } from '@sluice/adapter-kit';

/** The same session with some of its parts replaced, for tests that must stand between the product and a system. */
export function wrapSession(session: Session, replaced: Partial<Session>): Session {
  return {
    caps: session.caps,
    test: async (options) => await session.test(options),
    companies: async (options) => await session.companies(options),
    collections: async (options) => await session.collections(options),
    describe: async (collection, options) => await session.describe(collection, options),
    attributes: async (options) => await session.attributes(options),
    read: (query) => session.read(query),
    readByKeys: async (query) => await session.readByKeys(query),
    write: async (call) => await session.write(call),
    probe: async (call) => await session.probe(call),
    close: async () => await session.close(),
    ...replaced,
  };
}
