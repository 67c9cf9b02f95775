import { t } from '../platform/i18n/i18n.ts';
import { toast } from '../ui/toasts.tsx';

const TOLD_KEY = 'zoom.told';
/** So much below 1 still counts as 100 %: windows have borders. */
const LEAST_RATIO = 0.98;
/** From here on a smaller zoom is still drawn with enough pixels. */
const FINE_SCREEN = 1.5;

const isBelow100 = (): boolean =>
  window.devicePixelRatio <= FINE_SCREEN &&
  window.outerWidth > 0 &&
  window.outerWidth / window.innerWidth < LEAST_RATIO;

/** Warns of a browser zoom below 100 %, at the start and when it changes: once per session of the tab. */
export const watchZoom = (): (() => void) => {
  const check = (): void => {
    if (!isBelow100() || sessionStorage.getItem(TOLD_KEY) !== null) return;
    sessionStorage.setItem(TOLD_KEY, 'yes');
    toast('warning', t('common.zoomBelow100'));
  };
  check();
  window.addEventListener('resize', check);
  return () => window.removeEventListener('resize', check);
};
