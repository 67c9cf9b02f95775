import type { DataType, Scalar } from '@sluice/contract';

const numberTypes: readonly DataType[] = ['int', 'uint', 'nonFormattableInt', 'float64'];

/**
 * What was typed as a constant of a type: numbers with a point or a comma, yes and no as they are; what is none stays
 * the text it is, and the check says so.
 */
export const scalarOf = (text: string, type: string): Scalar => {
  if (text === '') return null;
  if (numberTypes.some((one) => one === type)) {
    const plain = text.trim().replace(/^(-?\d+),(\d+)$/, '$1.$2');
    return /^-?\d+(\.\d+)?$/.test(plain) && plain.length < 16 ? Number(plain) : plain;
  }
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
};

export const textOfScalar = (value: Scalar): string => (value === null ? '' : String(value));
