export { helpText, parseCommand } from './command-line.ts';
export { Config } from './config.ts';
export { readInputFile } from './input-file.ts';
export {
  ConfigError,
  choice,
  fileContent,
  filePath,
  integer,
  onOff,
  orConfigError,
  type Settings,
  textOf,
  type ValuesOf,
  variableOf,
  word,
} from './setting.ts';
export { canonicalName, isTimeZone } from './time-zone.ts';
