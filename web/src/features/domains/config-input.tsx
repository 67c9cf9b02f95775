import type { AdapterKind } from '@sluice/contract';
import { AreaField, SelectField, Switch, TextField } from '../../ui/fields.tsx';

/** One input of what a kind of system needs to know. */
export const ConfigInput = ({
  field,
  value,
  hint,
  error,
  onChange,
}: {
  field: AdapterKind['configFields'][number];
  value: string;
  hint: string | null;
  error: string | undefined;
  onChange: (value: string) => void;
}) => {
  const { label, type } = field;
  const common = { label, value, hint, error, onChange };
  if (type === 'select') return <SelectField {...common} options={field.options} />;
  if (type === 'multiline') return <AreaField {...common} isRequired={field.isMandatory} />;
  if (type === 'boolean')
    return (
      <div>
        <Switch label={label} isOn={value === 'true'} onChange={(isOn) => onChange(String(isOn))} />
        {hint ? (
          <p className="mut" style={{ fontSize: 12 }}>
            {hint}
          </p>
        ) : null}
      </div>
    );
  return (
    <TextField
      {...common}
      type={type === 'secret' ? 'password' : 'text'}
      autoComplete={type === 'secret' ? 'new-password' : 'off'}
      spellCheck={false}
      isRequired={field.isMandatory}
      isWide={field.isWide}
    />
  );
};
