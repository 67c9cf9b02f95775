const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  euro: '€',
  pound: '£',
  cent: '¢',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  deg: '°',
  times: '×',
  laquo: '«',
  raquo: '»',
  sect: '§',
  para: '¶',
  plusmn: '±',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  sup2: '²',
  sup3: '³',
  micro: 'µ',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oslash: 'ø',
  Oslash: 'Ø',
  aring: 'å',
  Aring: 'Å',
  ccedil: 'ç',
  Ccedil: 'Ç',
  ntilde: 'ñ',
  Ntilde: 'Ñ',
  agrave: 'à',
  aacute: 'á',
  acirc: 'â',
  atilde: 'ã',
  auml: 'ä',
  egrave: 'è',
  eacute: 'é',
  ecirc: 'ê',
  euml: 'ë',
  igrave: 'ì',
  iacute: 'í',
  icirc: 'î',
  iuml: 'ï',
  ograve: 'ò',
  oacute: 'ó',
  ocirc: 'ô',
  otilde: 'õ',
  ouml: 'ö',
  ugrave: 'ù',
  uacute: 'ú',
  ucirc: 'û',
  uuml: 'ü',
  Agrave: 'À',
  Aacute: 'Á',
  Acirc: 'Â',
  Auml: 'Ä',
  Egrave: 'È',
  Eacute: 'É',
  Ecirc: 'Ê',
  Euml: 'Ë',
  Iuml: 'Ï',
  Ouml: 'Ö',
  Ograve: 'Ò',
  Oacute: 'Ó',
  Uuml: 'Ü',
  Uacute: 'Ú',
};

/** Entities as characters; what is none stays as it is. */
export function unescapeHtml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{1,10}));/g, (whole, decimal, hex, name) => {
    if (name) return entities[String(name)] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

const breaks = new Set(['br', 'p', 'div', 'li', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote']);
const silent = new Set(['script', 'style', 'template']);

/**
 * The text of a piece of HTML: one pass from left to right, a line end where a block ends, nothing of scripts and
 * styles. It reads text out, it makes nothing safe to show.
 */
export function plainText(html: string): string {
  const small = html.toLowerCase();
  let out = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    out += html.slice(at, open);
    const comment = html.startsWith('<!--', open);
    const isTag = comment || /[a-zA-Z/!?]/.test(html.charAt(open + 1));
    if (!isTag) {
      out += '<';
      at = open + 1;
      continue;
    }
    const end = html.indexOf(comment ? '-->' : '>', open);
    if (end < 0) return finished(out);
    const name = comment
      ? ''
      : (/^<(\/?[a-zA-Z0-9]+)/.exec(html.slice(open, open + 24))?.[1] ?? '').toLowerCase();
    at = end + (comment ? 3 : 1);
    if (silent.has(name)) {
      const close = small.indexOf(`</${name}`, at);
      at = close < 0 ? html.length : close;
    } else if (name === 'br' || (name.startsWith('/') && breaks.has(name.slice(1)))) out += '\n';
  }
  return finished(out + html.slice(at));
}

const finished = (text: string): string =>
  unescapeHtml(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line, index, lines) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .trim();
