import { RE2JS } from 're2js';

/**
 * Regular expressions in RE2 syntax, matched in linear time: whatever a person writes, no text can make it hang. The
 * same in browser and server. Look-around and back-references do not exist in it.
 */
export interface Regex {
  test(text: string): boolean;
  /** The groups of the first match (0 = all of it; null = took no part), or null. */
  find(text: string): readonly (string | null)[] | null;
  /** In `by`, `$1` is a group, `$&` the match, `$<name>` a named group and `$$` a dollar sign. */
  replace(text: string, by: string, all: boolean): string;
}

export type RegexResult = { isOk: true; regex: Regex } | { isOk: false; message: string };

/** Longest expression; longer ones are programs. */
const maxLength = 2000;
/** Most steps of the compiled program: what a text costs is its length times this, at worst. */
const maxSteps = 2000;

export function compileRegex(pattern: string): RegexResult {
  if (pattern.length > maxLength) return { isOk: false, message: `> ${maxLength}` };
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > maxSteps) return { isOk: false, message: `> ${maxSteps} steps` };
    return {
      isOk: true,
      regex: {
        test: (text) => compiled.test(text),
        find: (text) => {
          const matcher = compiled.matcher(text);
          if (!matcher.find()) return null;
          return Array.from({ length: compiled.groupCount() + 1 }, (_, index) => matcher.group(index));
        },
        replace: (text, by, all) => {
          const matcher = compiled.matcher(text);
          return all ? matcher.replaceAll(by) : matcher.replaceFirst(by);
        },
      },
    };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { isOk: false, message: text.replace(/^error parsing regexp: /, '') };
  }
}
