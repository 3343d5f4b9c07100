import { type Config, ConfigError } from '../../lib/config/index.ts';
import type { Definition } from '../resource/definition.ts';
import { resourceOfFile } from '../resource/schema/resource-file.ts';
import { ITEM_SETTINGS } from './service-settings.ts';

/**
 * The definition that the settings name: a variant, or a resource of one's own.
 * @throws ConfigError if both are given; InvalidInputError of a resource that cannot be used
 */
export function configuredDefinition(config: Config): Definition {
  const { variant, resource } = config.of(ITEM_SETTINGS);
  if (resource === null) return variant;
  if (!config.isGiven('variant')) return resourceOfFile(resource);
  const names = `${config.nameOf('variant')} or ${config.nameOf('resource')}`;
  throw new ConfigError(`set ${names}, not both`);
}
