export { holds, openLocalChanges } from './changes/local-changes.js';
export type { Condition, InstanceChanges } from './changes/port.js';
export { defaultRemoteAnswersBytes } from './configuration/default-memory.js';
export { type Environment, fromEnvironment } from './configuration/environment.js';
export { LaunchError } from './configuration/launch-error.js';
export { readAddress, readUrl, readWord, type TlsFiles } from './configuration/option-readers.js';
export {
  type AddedCommands,
  bytes as bytesOption,
  type CommandOption,
  type CommandSpec,
  flag as flagOption,
  integer as integerOption,
  type OptionGroup,
  OptionTable,
  optionalSeconds as optionalSecondsOption,
  type RestoreHelp,
  text as textOption,
  vital as vitalOption,
} from './configuration/option-table.js';
export { type GivenValue, type GivenValues, OptionError, OptionValues } from './configuration/option-values.js';
export { optionsOf, type ServerOptions } from './configuration/server-options.js';
export { checkInstanceStore, checkStores, type LostStore, lostStores } from './folder/check-stores.js';
export { type DatabaseFolders, foldersOf } from './folder/database-folders.js';
export { completeDatabase, INSTANCE_STORES, type InstanceStore } from './folder/database-id.js';
export { checkDatabaseVersion, type Upgrade, VERSION_FILE } from './folder/database-version.js';
export { tryLockFile } from './folder/file-lock.js';
export { claimFolder, type FolderClaim, LOCK_FILE } from './folder/folder-claim.js';
export { refuseForeignFolder } from './folder/foreign-folder.js';
export { settleImport, stageImport } from './folder/import-stage.js';
export { type AddressReservation, listenFault, reserveAddress } from './folder/listen-address.js';
export { checkNodeStore, refuseNodeFolder } from './folder/node-folder.js';
export { NODE_CONTENTS, NODE_FOLDER, NODE_TABLE, PENDING_ENTRY } from './folder/node-names.js';
export { expectFolder } from './folder/usable-folder.js';
export { ruleMatcher } from './rules/rule-matcher.js';
export { RuleStore, type RuleUpdate, ruleToJson } from './rules/rule-store.js';
export { enabledFeatures, Features } from './values/features.js';
export { InstanceValues, VALUE_NAMES } from './values/instance-values.js';
