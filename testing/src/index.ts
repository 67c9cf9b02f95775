export * from './api.ts';
export * from './chromium.ts';
export * from './connect.ts';
export * from './database.ts';
export * from './product.ts';
export * from './product-main.ts';
export * from './sandbox.ts';
export * from './table.ts';
