import type { Entity, Json } from '../model/types.ts';
import { subcategories } from '../model/purchasing.ts';
import { dateFrom, Random } from './random.ts';
import { colours, goods, sizes, streets } from './words.ts';
import type { SeedPlace } from './parties.ts';

const productCode = (i: number): string => `A${String(i).padStart(5, '0')}`;

/** The same article in every company; what differs per company is drawn from `own`. */
export function product(place: SeedPlace, i: number): Entity {
  const random = new Random('product', i);
  const own = new Random(place.company, 'product', i);
  const { value: category, choices } = random.pick(subcategories);
  const name = `${random.pick(goods[category] ?? ['Article'])} ${random.pick(colours)} ${random.pick(sizes)}`;
  const purchasePrice = Math.round(random.next() * 800_000) / 10_000 + 0.5;
  return {
    code: productCode(i),
    name,
    description: random.chance(0.3) ? `${name}.\nDelivered from stock within two days.` : null,
    ean: 8_710_000_000_000 + i * 13,
    category,
    subcategory: random.pick(choices),
    unit: random.pick(['piece', 'piece', 'box', 'kg', 'litre']),
    supplier: `S${10000 + own.int(1, 400)}`,
    purchasePrice: Math.round(purchasePrice * 10_000) / 10_000,
    salesPrice: Math.round(purchasePrice * (1.2 + own.next() * 0.5) * 100) / 100,
    weight: Math.round(random.next() * 20_000) / 1000,
    stock: own.int(-20, 900),
    minimumStock: own.int(0, 100),
    intrastatCode: random.int(10_000_000, 99_999_999),
    isActive: own.chance(0.93),
    availableFrom: dateFrom('2015-01-01', random.int(0, 3500)),
    discontinuedOn: null,
    packaging: {
      unitsPerBox: random.pick([1, 6, 10, 12, 24]),
      boxesPerPallet: random.int(8, 60),
      size: { length: random.int(10, 60), width: random.int(10, 50), height: random.int(5, 40) + 0.5 },
    },
    productPage: random.chance(0.6) ? `https://shop.vandoorn.example/p/${productCode(i)}` : null,
    keywords: [category, random.pick(colours)],
  };
}

export function priceList(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'pricelist', i);
  return {
    code: `PL${String(i).padStart(2, '0')}`,
    name: `${random.pick(['Standard', 'Summer', 'Key account', 'Region', 'Web'])} ${i}`,
    currency: i % 10 === 0 ? 'USD' : 'EUR',
    validFrom: dateFrom('2024-01-01', random.int(0, 300)),
    validTo: random.chance(0.5) ? '2027-12-31' : null,
    isDefault: i === 1,
    maximumDiscount: random.pick([10, 12.5, 15, 20]),
    tiers: Array.from({ length: random.int(1, 3) }, (): Json => {
      const price = random.money(2, 40);
      return {
        product: productCode(random.int(1, 4000)),
        steps: [
          { fromQuantity: 1, price },
          { fromQuantity: 50, price: Math.round(price * 90) / 100 },
        ],
      };
    }),
  };
}

/** Every so many articles one is so dear that a rise of 3 % takes it above what the web shop accepts: 12 of 2,000. */
const dearEvery = 167;

export function webPrice(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'webprice', i);
  return {
    product: productCode(i),
    name: product(place, i)['name'] ?? null,
    price: i % dearEvery === 5 ? random.money(487, 499) : random.money(1, 450),
    currency: 'EUR',
    validFrom: dateFrom('2025-01-01', random.int(0, 300)),
    isPromoted: random.chance(0.1),
  };
}

export function salesOrder(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'order', i);
  const orderDate = dateFrom('2024-01-02', Math.floor(i / 3));
  const hour = random.int(7, 11);
  const lines = Array.from({ length: random.int(1, 4) }, (_, n): Entity => {
    const quantity = random.int(1, 60);
    const deliveries = random.chance(0.4) ? [{ date: dateFrom(orderDate, random.int(1, 9)), quantity }] : [];
    return {
      lineNumber: n + 1,
      product: productCode(random.int(1, 4000)),
      quantity,
      unitPrice: random.money(1, 90),
      discountPercent: random.pick([0, 0, 5]),
      deliveries,
    };
  });
  const total = lines.reduce(
    (sum, line) =>
      sum +
      Number(line['quantity']) * Number(line['unitPrice']) * (1 - Number(line['discountPercent']) / 100),
    0,
  );
  return {
    number: 100_000 + i,
    customer: `C${10000 + random.int(1, 2500)}`,
    reference: `PO-${random.int(1000, 9999)}-${i}`,
    orderDate,
    requestedDate: dateFrom(orderDate, random.int(2, 14)),
    deliverFrom: `${String(hour).padStart(2, '0')}:00:00`,
    deliverUntil: `${hour + 4}:00:00`,
    status: random.pick(['draft', 'confirmed', 'confirmed', 'delivered', 'invoiced']),
    currency: 'EUR',
    project: random.chance(0.1) ? 1000 + random.int(1, 300) : null,
    shipTo: {
      name: null,
      address: {
        street: random.pick(streets),
        houseNumber: String(random.int(1, 99)),
        postcode: '3511 AB',
        city: 'Utrecht',
        country: place.country,
      },
    },
    lines: lines satisfies Json[],
    total: Math.round(total * 100) / 100,
    remarks: random.chance(0.1) ? 'Please deliver in one go.' : null,
  };
}
