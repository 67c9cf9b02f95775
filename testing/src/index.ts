export * from './api.ts';
export * from './database.ts';
export * from './product.ts';
export * from './sandbox.ts';
