import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayName } from '../../platform/time.ts';
import { BarPlot, PlotLegend, type PlotSeries, PlotTable, stacked } from '../../ui/bar-plot.tsx';
import { useRunDays } from './api.ts';

const PARTS = [
  { name: 'inserted', colour: '--new' },
  { name: 'updated', colour: '--brand' },
  { name: 'deleted', colour: '--grey' },
  { name: 'failed', colour: '--rejected' },
] as const;

/** What the runs of two weeks did, the kinds of a day one upon the other. */
export const RunPlot = ({ connectorId }: { connectorId: string }) => {
  const { t, i18n } = useTranslation();
  const { data: days } = useRunDays(connectorId);
  const [pointed, setPointed] = useState<number | null>(null);
  const { language } = i18n;
  const plot = useMemo(() => {
    if (!days) return null;
    const parts = PARTS.map(({ name, colour }): PlotSeries => ({
      label: t(`runPlot.${name}`),
      values: days.map((day) => day[name]),
      colour,
    }));
    const labels = days.map(({ date }) => dayName(date, language));
    return { parts, data: { labels, series: stacked(parts) } };
  }, [days, language, t]);
  if (!days || !plot || days.every((day) => PARTS.every(({ name }) => day[name] === 0))) return null;
  const at = pointed ?? days.length - 1;
  const day = days[at];
  return (
    <section className="card" aria-label={t('runPlot.title')}>
      <div className="cn-head">
        <h2>{t('runPlot.title')}</h2>
        <span className="sp" />
        <span className="mut tn">
          {day ? t('runPlot.point', { ...day, day: plot.data.labels[at] ?? '' }) : null}
        </span>
      </div>
      <BarPlot data={plot.data} onPoint={setPointed} />
      <PlotLegend series={plot.parts} />
      <PlotTable
        caption={t('runPlot.title')}
        heading={t('plot.day')}
        rows={plot.data.labels}
        columns={plot.parts}
      />
    </section>
  );
};
