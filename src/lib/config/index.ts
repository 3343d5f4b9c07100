export { helpText, parseCommand } from './command-line.ts';
export { Config } from './config.ts';
export { readInputFile } from './input-file.ts';
export {
  ConfigError,
  choice,
  configError,
  fileContent,
  filePath,
  integer,
  onOff,
  orConfigError,
  type Settings,
  secretFile,
  textOf,
  type ValuesOf,
  variableOf,
  word,
} from './setting.ts';
export { canonicalName, parseTimeZone, setTimeZone } from './time-zone.ts';
