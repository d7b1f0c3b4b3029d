import type { ArchivedValue } from '@fossick/runtime/extension';

/** The stored value of the instance that holds the settings of each workspace, by its name. */
export const VALUE_NAME = 'chat-workspaces';

/** Workspaces have a folder of their own in dumps, with a file each, as the reference engine writes it. */
export const ARCHIVED: readonly ArchivedValue[] = [
  { name: VALUE_NAME, file: 'chat-completions-settings/', toFile: (value) => value ?? {}, ofFile: (files) => files },
];
