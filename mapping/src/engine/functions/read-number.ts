import { canonicalDecimal } from '../../values.ts';

/**
 * `1.234,50` with decimal `,` and group `.` as 1234.5; null when it is no number so written. Grouping may be left out,
 * but where it stands it must stand right: `1.5` is no number there, never 15. Spaces between groups may be no-break
 * ones, the minus the typographic one or behind the number.
 */
export function readNumber(text: string, decimal: string, group: string): number | string | null {
  let rest = text.trim();
  if (rest.includes('\u2212')) rest = rest.replaceAll('\u2212', '-');
  let isNegative = false;
  if (rest.startsWith('-') || rest.startsWith('+')) {
    isNegative = rest.startsWith('-');
    rest = rest.slice(1).trimStart();
  } else if (rest.endsWith('-')) {
    isNegative = true;
    rest = rest.slice(0, -1).trimEnd();
  }
  if (group === ' ') rest = rest.replace(/[\u00a0\u2009\u202f]/g, ' ');
  if (group === "'") rest = rest.replace(/\u2019/g, "'");
  const point = rest.lastIndexOf(decimal);
  const whole = point < 0 ? rest : rest.slice(0, point);
  const fraction = point < 0 ? '' : rest.slice(point + decimal.length);
  if (!/^\d*$/.test(fraction) || (whole === '' && fraction === '')) return null;
  const parts = group === '' ? [whole] : whole.split(group);
  const [first = '', ...others] = parts;
  const isGrouped = others.length > 0;
  if (!/^\d*$/.test(first) || (isGrouped && (first.length < 1 || first.length > 3))) return null;
  if (others.some((part) => !/^\d{3}$/.test(part))) return null;
  const digits = parts.join('') || '0';
  // Up to 15 digits nothing is lost in a double.
  if (digits.length + fraction.length <= 15) {
    const number = Number(fraction === '' ? digits : `${digits}.${fraction}`);
    return isNegative && number !== 0 ? -number : number;
  }
  return canonicalDecimal(`${isNegative ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}`);
}
