export * from './decode.ts';
export * from './delimited.ts';
export * from './import-plan.ts';
