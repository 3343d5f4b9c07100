import { Random } from '../../../table/support/random.ts';
import { type MakeCore, SimulatedConnection } from './connection.ts';
import { script } from './script.ts';

/**
 * Plays connections until their cores have had `events` events.
 * @returns how many there were
 * @throws Error that names the seed of the connection that fails
 */
export function playEvents(events: number, seed: number, make?: MakeCore): number {
  let played = 0;
  for (let own = seed; played < events; own++) {
    const random = new Random(own);
    try {
      const connection = new SimulatedConnection(random, script(random), make);
      connection.play();
      played += connection.events;
    } catch (error) {
      throw new Error(`SEED=${own}: ${error}`, { cause: error });
    }
  }
  return played;
}
