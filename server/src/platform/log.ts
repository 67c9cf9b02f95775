/** One JSON line per event on standard error (or wherever `write` puts it). Never secrets, never record values. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export function createLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      write(JSON.stringify({ time: new Date().toISOString(), level, message, ...serialisable(fields) }));
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function serialisable(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error
        ? { name: value.name, message: value.message, stack: value.stack, cause: String(value.cause ?? '') }
        : value,
    ]),
  );
}
