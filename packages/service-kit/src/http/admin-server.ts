import { Hono } from 'hono';
import type { AdminConfig } from '../config-fragments.ts';
import type { Log } from '../log.ts';
import { type Metrics, readyMetric } from '../metrics.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';

/** Whether load balancers should send requests here; the reasons say why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** What does not work although the service is ready. */
  readonly degraded?: readonly string[];
}

export interface AdminServerOptions extends AdminConfig {
  readonly metrics: Metrics;
  readonly log: Log;
  /** Whether the process is worth keeping; `false` asks the orchestrator for a restart. */
  live(): boolean;
  ready(): Readiness;
}

/** Serves `/livez`, `/readyz` and `/metrics` on a port of its own, so that it can stay private. */
export function startAdminServer(options: AdminServerOptions): Promise<HttpServer> {
  readyMetric(options.metrics, () => options.ready().ready);
  return startHttpServer({ fetch: adminApp(options).fetch, host: options.host, port: options.port });
}

function adminApp({ metrics, log, live, ready }: AdminServerOptions): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
  });
  app.get('/livez', (c) => (live() ? c.json({ live: true }) : c.json({ live: false }, 503)));
  app.get('/readyz', (c) => {
    const readiness = ready();
    return c.json(readiness, readiness.ready ? 200 : 503);
  });
  app.get('/metrics', async (c) => {
    const { contentType, text } = await metrics.expose();
    return c.body(text, 200, { 'Content-Type': contentType });
  });
  app.notFound((c) => c.json({ error: 'not found; here are /livez, /readyz and /metrics' }, 404));
  app.onError((err, c) => {
    log.error({ err }, 'admin request failed');
    return c.json({ error: 'internal error' }, 500);
  });
  return app;
}
