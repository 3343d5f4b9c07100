export { IncompatibleError, StoreError, UnknownOutcomeError } from './errors.ts';
export type { EtcdSettings } from './etcd/client.ts';
export { Replica, type ReplicaEvents, type ReplicaSettings } from './replica.ts';
export type { ListSchema } from './rows.ts';
