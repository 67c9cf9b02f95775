import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';

/** Says beside an input that it has been saved; gone after a moment. */
export const SavedTick = ({ isShown }: { isShown: boolean }) => {
  const { t } = useTranslation();
  return (
    <output className="set-tick">
      {isShown ? (
        <>
          <Icon name="check" size="s" />
          {t('settings.saved')}
        </>
      ) : null}
    </output>
  );
};
