export * from './condition.ts';
export * from './decimal.ts';
export * from './file-kind.ts';
export * from './formats.ts';
export * from './parse.ts';
export * from './typed.ts';
export * from './validate.ts';
export * from './values.ts';
