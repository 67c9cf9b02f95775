import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/popup-menu.tsx';
import { useAttributes } from './attribute-picker.tsx';

/** Leads from the values of one attribute to those of another. */
export const AttributeSwitch = ({ base, attributeId }: { base: string; attributeId: string }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data } = useAttributes(base);
  const [isOpen, setOpen] = useState(false);
  const name = data?.find((one) => one.attributeId === attributeId)?.attributeName ?? attributeId;
  return (
    <MenuButton
      isOpen={isOpen}
      onChange={setOpen}
      entries={(data ?? []).map((one) => ({
        label: one.attributeName,
        hint: one.attributeId,
        isChecked: one.attributeId === attributeId,
        onClick: () => void navigate({ to: `/data/${base}/${encodeURIComponent(one.attributeId)}` }),
      }))}
    >
      <button type="button" className="btn ghost" aria-label={t('table.attribute', { name })}>
        <Icon name="columns" />
        {name}
        <Icon name="chevron" size="xs" />
      </button>
    </MenuButton>
  );
};
