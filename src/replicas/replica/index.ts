export { UNSTORED } from './dry-run.ts';
export { IncompatibleError, StoreError, UnknownOutcomeError } from './errors.ts';
export type { EtcdSettings } from './etcd/client.ts';
export { Replica, type ReplicaEvents, type ReplicaSettings } from './replica.ts';
export type { ListItems, ListSchema } from './rows.ts';
