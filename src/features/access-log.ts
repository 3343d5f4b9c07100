import { clock } from '../clock.ts';
import { onOff } from '../config/setting.ts';
import { type Middleware, mapResponse } from '../http/core/handler.ts';
import { defineFeature } from './feature.ts';

/** A line of the access log. */
export interface AccessLogLine {
  readonly method: string;
  readonly target: string;
  /** The path as a template; absent if the path is unknown. */
  readonly route: string | undefined;
  /** Absent if the connection was closed without a response. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** The size of the response's content. */
  readonly contentBytes: number;
  readonly clientAddress: string | undefined;
  readonly requestId: string;
  readonly traceId: string | undefined;
}

/** A line about each request. */
export const ACCESS_LOG = defineFeature(
  {
    isOn: {
      variable: 'ACCESS_LOG',
      description: 'log one JSON line per request',
      ...onOff(false),
    },
  },
  ({ isOn }, { writeAccessLog }) =>
    isOn && writeAccessLog
      ? { middleware: [accessLog((line) => writeAccessLog({ ...line }))] }
      : undefined,
);

/** Writes a line about each request once its response has been sent. */
export function accessLog(write: (line: AccessLogLine) => void): Middleware {
  return (next) => (request) => {
    const { id: requestId } = request;
    let status: number | undefined;
    request.onEnd((contentBytes) => {
      const { method, target, template: route, clientAddress, traceId } = request;
      const durationMs = Math.round((clock.now() - request.receivedAt) * 1000) / 1000;
      const outcome = { status, durationMs, contentBytes };
      write({ method, target, route, ...outcome, clientAddress, requestId, traceId });
    });
    return mapResponse(next(request), request, (response) => {
      status = response.isAborted ? undefined : response.status;
      return response;
    });
  };
}
