/**
 * SYS-05..07 and decisions Q-SYS-02: the part of a url that stands for a level option. Runs of anything but letters
 * and digits become one dash, dashes at the ends go, the rest is percent-encoded; an option without any gets the
 * first 8 characters of its id. Equal ones among siblings get -1, -2 … in order of their ids, so that urls stay put.
 */
export function uriAcronyms(siblings: readonly { id: string; acronym: string }[]): Map<string, string> {
  const taken = new Set<string>();
  const result = new Map<string, string>();
  const slugs = siblings
    .map(({ id, acronym }) => ({ id, slug: slugOf(acronym) || slugOf(id).slice(0, 8) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const own = new Set(slugs.map(({ slug }) => slug.toLowerCase()));
  for (const { id, slug } of slugs) {
    let unique = slug;
    for (
      let number = 1;
      taken.has(unique.toLowerCase()) || (number > 1 && own.has(unique.toLowerCase()));
      number += 1
    ) {
      unique = `${slug}-${number}`;
    }
    taken.add(unique.toLowerCase());
    result.set(id, encodeURIComponent(unique));
  }
  return result;
}

function slugOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
}

/** A url of a system: lower case, plain letters, unique among those taken. */
export function systemUrl(name: string, taken: ReadonlySet<string>): string {
  const base =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'system';
  let url = base;
  for (let number = 1; taken.has(url); number += 1) url = `${base}-${number}`;
  return url;
}
