declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

export type Entity = Record<string, unknown>;

export const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const significant = (source: string): number =>
  source
    .replace(/[eE].*$/, '')
    .replaceAll(/\D/g, '')
    .replace(/^0+/, '').length;

/** Parses JSON; a number of more than 15 digits comes as its text, because a double would change it. */
export function parseJson(text: string): unknown {
  if (!/[\d.]{16}/.test(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined && significant(source) > 15 ? source : value,
  );
}

/** What stands at a path of names with dots (`data.items`); the empty path is the whole. Undefined: nothing. */
export function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  if (isEntity(value) && Object.hasOwn(value, path)) return value[path];
  let found = value;
  for (const name of path.split('.')) {
    if (Array.isArray(found)) found = (found as unknown[])[Number(name)];
    else if (isEntity(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

/** A scalar as text; null for what is none, and for the empty text. */
export const textAt = (value: unknown, path: string): string | null => {
  const found = at(value, path);
  if (typeof found === 'number' || typeof found === 'boolean') return String(found);
  return typeof found === 'string' && found !== '' ? found : null;
};

/** The line of a JSON text at which the value of a path begins, or the nearest one around it; from 1. */
export function lineOf(text: string, path: readonly PropertyKey[]): number {
  let position = 0;
  const skip = (): void => {
    while (/[\s,:]/.test(text[position] ?? 'x')) position++;
  };
  const string = (): string => {
    const start = position++;
    while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
    position++;
    return JSON.parse(text.slice(start, position)) as string;
  };
  const pass = (): void => {
    skip();
    if (text[position] === '"') string();
    else if (text[position] === '{' || text[position] === '[') {
      const end = text[position] === '{' ? '}' : ']';
      position++;
      for (skip(); text[position] !== end; skip()) pass();
      position++;
    } else while (/[^\s,\]}]/.test(text[position] ?? ' ')) position++;
  };
  for (const part of path) {
    skip();
    const opening = text[position];
    const around = position;
    if (opening !== '{' && opening !== '[') break;
    position++;
    let isFound = false;
    for (let index = 0; !isFound; index++) {
      skip();
      if (position >= text.length || text[position] === '}' || text[position] === ']') break;
      const name = opening === '{' ? string() : index;
      if (name === part) isFound = true;
      else pass();
    }
    if (!isFound) {
      position = around;
      break;
    }
  }
  skip();
  return text.slice(0, position).split('\n').length;
}
