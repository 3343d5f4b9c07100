import { describeControls } from './support/controls.ts';
import { fakeEtcd } from './support/replicas.ts';

describeControls('a fake', async (test) => {
  const { url } = await fakeEtcd(test);
  return [Number(new URL(url).port)];
});
