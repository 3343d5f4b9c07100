import { onOff } from '../../config/setting.ts';
import { defineFeature } from '../feature.ts';
import { httpMetrics } from './http.ts';
import { HttpMetrics } from './http-metrics.ts';
import { ProcessMetrics } from './process.ts';
import { metricsRoute } from './route.ts';

/** Metrics of requests, of the process, and of all parts of the service, for Prometheus. */
export const METRICS = defineFeature(
  {
    isOn: {
      variable: 'METRICS',
      description: 'serve Prometheus metrics at /metrics',
      ...onOff(true),
    },
  },
  ({ isOn }, service) => {
    if (!isOn) return undefined;
    const http = new HttpMetrics();
    const process = new ProcessMetrics();
    return {
      middleware: [http.middleware],
      routes: [metricsRoute(() => [...httpMetrics(http), ...service.metrics(), ...process.read()])],
    };
  },
);
