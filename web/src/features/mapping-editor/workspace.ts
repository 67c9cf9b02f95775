import type {
  ActionMetadata,
  EndMetadata,
  FieldPath,
  Locale,
  MacroDescriptor,
  Mapping,
  TransformFnDescriptor,
} from '@sluice/contract';
import type { MappingPlace, MappingProblem } from '@sluice/mapping/engine';
import { createContext, use } from 'react';
import type { ActionIds } from './api.ts';
import type { Preview, Samples } from './preview.ts';

/** One set of mappings being edited: those of the action, or of a source update. */
export interface Workspace {
  ids: ActionIds;
  place: MappingPlace;
  metadata: ActionMetadata;
  /** The wired source that is looked at. */
  source: EndMetadata;
  targetFields: readonly FieldPath[];
  /** Fields that get values. */
  written: readonly FieldPath[];
  macros: readonly MacroDescriptor[];
  fns: ReadonlyMap<string, TransformFnDescriptor>;
  mappings: readonly Mapping[];
  /** `name`: what is typed into, so that typing is one step of undo. */
  change: (edit: (mappings: readonly Mapping[]) => readonly Mapping[], name?: string | null) => void;
  problems: readonly MappingProblem[];
  samples: Samples | null;
  preview: Preview | null;
  zone: string;
  language: Locale;
  canEdit: boolean;
}

const WorkspaceContext = createContext<Workspace | null>(null);
export const WorkspaceProvider = WorkspaceContext.Provider;

export const useWorkspace = (): Workspace => {
  const workspace = use(WorkspaceContext);
  if (!workspace) throw new Error('no workspace around');
  return workspace;
};

/** Problems at a place or, with `isDeep`, anywhere in it. */
export const problemsAt = (
  problems: readonly MappingProblem[],
  path: string,
  isDeep = false,
): MappingProblem[] =>
  problems.filter(
    (problem) =>
      problem.path === path ||
      (isDeep && (problem.path.startsWith(`${path}.`) || problem.path.startsWith(`${path}[`))),
  );

export const fieldNameIn = (fields: readonly FieldPath[], path: string): string =>
  fields.find((field) => field.path === path)?.name ?? path;

/** The first sample values of a source field, for whoever chooses by what is in it. */
export const sampleTexts = (samples: Samples | null, path: string, most = 3): string[] => {
  const texts: string[] = [];
  for (const record of samples?.records ?? []) {
    const value = record[path] ?? null;
    if (value === null || value === '') continue;
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (texts.includes(text)) continue;
    texts.push(text.length > 40 ? `${text.slice(0, 40)}…` : text);
    if (texts.length >= most) break;
  }
  return texts;
};
