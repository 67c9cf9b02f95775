import { expect, it } from 'vitest';
import { durationText } from './duration.ts';

it('[NAV-23] a duration is told in days, hours and minutes', () => {
  expect(durationText(1501)).toBe('1 d 1 h 1 min');
  expect(durationText(1440)).toBe('1 d');
  expect(durationText(59)).toBe('59 min');
  expect(durationText(2881)).toBe('2 d 1 min');
  expect(durationText(0)).toBe('0 min');
});
