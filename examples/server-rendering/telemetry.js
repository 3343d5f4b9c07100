import { register } from 'node:module';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

// The usual set-up of OpenTelemetry. It passes `traceparent` and `baggage` on to `fetch`.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
new NodeTracerProvider().register();
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()],
});
