import type {
  FnGroup,
  Locale,
  MacroDescriptor,
  TransformFnDescriptor,
  TriggerOperatorDescriptor,
} from '@sluice/contract';
import { t } from './functions/define.ts';
import { functions } from './functions/index.ts';
import { macros } from './macros.ts';
import { operators } from './triggers.ts';
import type { Texts } from './types.ts';

const groupNames: Record<FnGroup, Texts> = {
  text: t('Text', 'Tekst'),
  number: t('Numbers', 'Getallen'),
  date: t('Dates and times', 'Datums en tijden'),
  logic: t('Logic', 'Logica'),
  list: t('Lists', 'Lijsten'),
  encoding: t('Encoding and formats', 'Codering en formaten'),
  lookup: t('Tables and look-ups', 'Tabellen en opzoeken'),
};

/** The functions as the metadata of an action lists them (ACT-05, XFORM-01). */
export function describeFunctions(locale: Locale): TransformFnDescriptor[] {
  return functions.map((entry) => ({
    id: entry.id,
    name: entry.label[locale],
    description: entry.help[locale],
    group: entry.group,
    groupName: groupNames[entry.group][locale],
    inputTypes: [...entry.inputTypes],
    returnType: entry.returnType,
    params: entry.parameters.map((parameter) => ({
      id: parameter.id,
      name: parameter.label[locale],
      description: parameter.label[locale],
      dataType: parameter.dataType,
      isMandatory: parameter.isMandatory,
      defaultValue: parameter.defaultValue,
      options: parameter.options?.map(({ value, label }) => ({ value, description: label[locale] })) ?? null,
      canBeField: parameter.canBeField,
      list: parameter.list,
      picks: parameter.picks,
    })),
    hasTranslationTable: entry.hasTranslationTable,
    examples: entry.examples.map(({ input, args, output }) => ({ input, args, output })),
  }));
}

/** The macros; those of source updates only where `isForSourceUpdates`. */
export function describeMacros(locale: Locale, isForSourceUpdates: boolean): MacroDescriptor[] {
  return macros
    .filter((macro) => isForSourceUpdates || !macro.isForSourceUpdates)
    .map((macro) => ({
      id: macro.id,
      name: macro.label[locale],
      description: macro.help[locale],
      returnType: macro.returnType,
      needsField: macro.needsField,
      isForSourceUpdates: macro.isForSourceUpdates,
    }));
}

/** The operators of trigger conditions (TRIG-11). */
export function describeOperators(locale: Locale): TriggerOperatorDescriptor[] {
  return operators.map(({ id, label, isNegative }) => ({ id, name: label[locale], isNegative }));
}
