import type { Dashboard } from '@sluice/contract';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayName } from '../../platform/time.ts';
import { BarPlot, type PlotData, PlotTable } from '../../ui/bar-plot.tsx';

const MEASURES = ['pushed', 'jobs'] as const;
type Measure = (typeof MEASURES)[number];
/** The part of each measure that went wrong. */
const BAD = { pushed: 'rejected', jobs: 'errors' } as const;

/** The last two weeks: all of a day, and in front of it what went wrong. */
export const DayPlot = ({ days }: { days: Dashboard['days'] }) => {
  const { t, i18n } = useTranslation();
  const [measure, setMeasure] = useState<Measure>('pushed');
  const [pointed, setPointed] = useState<number | null>(null);
  const { language } = i18n;
  const data = useMemo<PlotData>(
    () => ({
      labels: days.map(({ date }) => dayName(date, language)),
      series: [
        {
          label: t(`dashboardMeasure.${measure}`),
          values: days.map((day) => day[measure] + (measure === 'pushed' ? day.rejected : 0)),
          colour: '--brand',
        },
        {
          label: t(`dashboardBad.${measure}`),
          values: days.map((day) => day[BAD[measure]]),
          colour: '--rejected',
          width: 0.3,
        },
      ],
    }),
    [days, measure, language, t],
  );
  const at = pointed ?? days.length - 1;
  const day = days[at];
  const words = day
    ? t(`dashboardDay.${measure}`, {
        day: data.labels[at],
        count: day[measure],
        bad: day[BAD[measure]],
      })
    : '';
  return (
    <section className="card">
      <h2>
        {t(`dashboardPerDay.${measure}`)}
        <span className="n">{words}</span>
        <span className="sp" />
        <fieldset className="seg" aria-label={t('dashboard.plot')}>
          {MEASURES.map((name) => (
            <button
              key={name}
              type="button"
              className={measure === name ? 'on' : ''}
              aria-pressed={measure === name}
              onClick={() => setMeasure(name)}
            >
              {t(`dashboardMeasure.${name}`)}
            </button>
          ))}
        </fieldset>
      </h2>
      <BarPlot data={data} onPoint={setPointed} />
      <PlotTable
        caption={t(`dashboardPerDay.${measure}`)}
        heading={t('plot.day')}
        rows={data.labels}
        columns={data.series}
      />
    </section>
  );
};
