export { flagToType, helpText, parseCommand, parseEnvironment } from './command-line.ts';
export { Config } from './config.ts';
export {
  ConfigError,
  choice,
  FILE_PATH,
  fileContent,
  integer,
  mayHaveUserinfo,
  onOff,
  onOffOr,
  orConfigError,
  reasonOf,
  refusalOf,
  SECRET_FILE,
  type Settings,
  text,
  type ValuesOf,
  variableOf,
  withdrawn,
  word,
} from './setting.ts';
export { parseTimeZone, setTimeZone } from './time-zone.ts';
