const MINUTES_A_DAY = 1440;

/** Whole minutes as days, hours and minutes, without the ones that are zero: '1 d 1 h 1 min'. */
export const durationText = (minutes: number): string => {
  const parts = [
    [Math.floor(minutes / MINUTES_A_DAY), 'd'],
    [Math.floor((minutes % MINUTES_A_DAY) / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const shown = parts.filter(([amount]) => amount > 0);
  return shown.length === 0 ? '0 min' : shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ');
};
