import { startTodoService } from 'todo-service';

/** Starts one service for all workers, before them. */
export default async ({ provide }) => {
  const service = await startTodoService({ env: { ADMIN_TOKEN: 'secret' } });
  provide('serviceUrl', service.url);
  return () => service.stop();
};
