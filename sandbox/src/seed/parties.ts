import type { Entity, Json } from '../model/types.ts';
import { dateFrom, Random } from './random.ts';
import { countries, firmEnds, firmWords, firstNames, lastNames, streets, trades } from './words.ts';
import { departments, jobTitles } from '../model/people.ts';

export interface SeedPlace {
  domain: string;
  company: string;
  country: string;
}

const codes = ['NL', 'BE', 'DE'];
/** No accents, capitals or spaces: for addresses of mail and web. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();

function address(random: Random, country: string): Entity {
  const [city, zone] = random.pick(countries[country]?.cities ?? [['Utrecht', '35']]);
  const letters = 'ABCDEFGHJKLMNPRSTUVWXZ';
  const postcode =
    country === 'NL'
      ? `${zone}${random.int(11, 99)} ${letters[random.int(0, 20)]}${letters[random.int(0, 20)]}`
      : `${zone}${random.int(10, 99)}`.slice(0, country === 'BE' ? 4 : 5);
  return { street: random.pick(streets), houseNumber: String(random.int(1, 240)), postcode, city, country };
}

function vatNumber(country: string, n: number): string {
  const digits = (length: number): string =>
    String(100_000_000 + n * 7)
      .padStart(length, '0')
      .slice(-length);
  return { NL: `NL${digits(9)}B01`, BE: `BE0${digits(9)}`, DE: `DE${digits(9)}` }[country] ?? `XX${n}`;
}

function firm(random: Random, country: string): string {
  const legal = random.pick(countries[country]?.legal ?? ['BV']);
  return `${random.pick(firmWords)}${random.pick(firmEnds)} ${random.pick(trades)} ${legal}`;
}

export function customer(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'customer', i);
  const country = random.chance(0.8) ? place.country : random.pick(codes);
  const name = firm(random, country);
  const site = `${plain(name)}.${countries[country]?.domain ?? 'eu'}`;
  const method = random.pick(['email', 'email', 'email', 'post', 'peppol']);
  const formats: Record<string, string[]> = {
    email: ['pdf', 'ubl'],
    post: ['paper'],
    peppol: ['bis3', 'ubl'],
  };
  const isBlocked = i % 40 === 0;
  const hour = random.int(6, 10);
  return {
    number: `C${10000 + i}`,
    name,
    searchName: name.toUpperCase(),
    customerGroup: random.pick(['retail', 'wholesale', 'catering', 'public']),
    priceList: `PL${String(random.int(1, 12)).padStart(2, '0')}`,
    discountPercent: random.pick([0, 0, 2, 2.5, 5]),
    paymentTermDays: random.pick([8, 14, 30, 30, 60]),
    creditLimit: i === 7 ? '123456789012345678.25' : String(random.int(1, 60) * 2500),
    creditRating: Math.round(random.next() * 1000) / 1000,
    isBlocked,
    blockReason: isBlocked ? 'Invoices not paid for 90 days' : null,
    invoiceMethod: method,
    invoiceFormat: random.pick(formats[method] ?? ['pdf']),
    invoiceEmail: method === 'email' ? `invoice@${site}` : null,
    vatNumber: vatNumber(country, i),
    website: random.chance(0.7) ? `https://www.${site}` : null,
    language: { NL: 'nl', BE: random.pick(['nl', 'fr']), DE: 'de' }[country] ?? 'en',
    foundedYear: random.int(1890, 2022),
    customerSince: dateFrom('2008-01-01', random.int(0, 6000)),
    deliveryFrom: `${String(hour).padStart(2, '0')}:00:00`,
    deliveryUntil: `${hour + random.int(4, 8)}:30:00`.padStart(8, '0'),
    address: address(random, country),
    contacts: Array.from({ length: random.int(0, 2) }, (): Json => {
      const person = `${random.pick(firstNames)} ${random.pick(lastNames)}`;
      const phone = `${countries[country]?.phone ?? ''}${random.int(200_0000, 899_9999)}`;
      return {
        name: person,
        role: random.pick(['Purchasing', 'Finance', 'Owner']),
        email: `${plain(person)}@${site}`,
        phone,
      };
    }),
    tags: ['vip', 'export', 'seasonal', 'webshop'].filter(() => random.chance(0.2)),
    logo: random.chance(0.1) ? Buffer.from(`GIF89a-${i}`).toString('base64url') : null,
    notes: random.chance(0.15) ? 'Call before delivery.\nGoods in at the back.' : null,
    crmId: random.guid(),
  };
}

export function supplier(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'supplier', i);
  const country = random.pick(codes);
  const name = firm(random, country);
  const iban = `${country}${random.int(10, 99)}BANK${String(random.int(1, 999_999_999)).padStart(10, '0')}`;
  return {
    number: `S${10000 + i}`,
    name,
    vatNumber: vatNumber(country, 500_000 + i),
    iban,
    currency: random.pick(['EUR', 'EUR', 'EUR', 'USD', 'GBP']),
    leadTime: `P${random.int(1, 21)}D`,
    minimumOrder: random.int(0, 20) * 50,
    reliability: Math.round((0.7 + random.next() * 0.3) * 10000) / 10000,
    isPreferred: random.chance(0.2),
    website: `https://${plain(name)}.example`,
    email: `orders@${plain(name)}.example`,
    peppolId: random.chance(0.5) ? `0106:${random.int(10_000_000, 99_999_999)}` : null,
    address: address(random, country),
    bankAccounts: [{ iban, bic: `BANK${country}2A`, isDefault: true }],
    certificates: ['ISO 9001', 'ISO 14001', 'FSC', 'Fairtrade'].filter(() => random.chance(0.3)),
  };
}

export function employee(place: SeedPlace, i: number): Entity {
  const random = new Random(place.company, 'employee', i);
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  const department = random.pick(departments).value;
  const hasLeft = random.chance(0.08);
  return {
    number: 1000 + i,
    firstName,
    lastName,
    fullName: `${firstName} ${lastName}`,
    email: `${plain(`${firstName} ${lastName}`)}.${i}@vandoorn.example`,
    personId: random.guid(),
    department,
    jobTitle: random.pick(jobTitles.find((j) => j.value === department)?.choices ?? ['manager']),
    costCentre: `K${100 + random.int(1, 60)}`,
    birthDate: dateFrom('1960-01-01', random.int(0, 16_000)),
    hiredOn: dateFrom('2005-01-01', random.int(0, 7000)),
    hasLeft,
    leftOn: hasLeft ? dateFrom('2024-06-01', random.int(0, 500)) : null,
    hoursPerWeek: random.pick([40, 40, 36, 32, 24, 20.5]),
    holidayDays: random.int(20, 32),
    workStart: random.pick(['06:30:00', '08:00:00', '08:30:00', '09:00:00']),
    workEnd: random.pick(['16:30:00', '17:00:00', '17:30:00']),
    languages: ['nl', 'en', 'de', 'fr'].filter(() => random.chance(0.5)),
    emergencyContacts: [
      { name: `${random.pick(firstNames)} ${lastName}`, phone: `+31 6 ${random.int(1000_0000, 9999_9999)}` },
    ],
  };
}
