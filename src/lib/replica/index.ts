export { replicaStore } from './replica.ts';
