import type { Clock } from '@listen-gateway/core';
import type { Guard } from '@listen-gateway/service-kit';
import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import type { PublisherAuth } from '../auth/publisher-auth.ts';
import { openApiDocument } from '../open-api.ts';
import { identity, type PublisherEnv, refuse } from './answer.ts';
import { authenticate } from './authenticate.ts';
import { DISCONNECT_PATH, disconnectRoute } from './disconnect-route.ts';
import { paced } from './pace.ts';
import { CHANGES_PATH, type PublishRouteOptions, publishRoute } from './publish-route.ts';
import { traced } from './traced.ts';

export interface PublisherAppOptions extends PublishRouteOptions {
  readonly clock: Clock;
  readonly auth: PublisherAuth;
  readonly guard: Guard;
}

/** Whether it is reached by TLS alone is its proxy's to say; the others are of browsers long gone. */
const SECURE_HEADERS = {
  strictTransportSecurity: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xFrameOptions: 'DENY',
} as const;

/** The publisher's HTTP API. */
export function publisherApp(options: PublisherAppOptions): Hono<PublisherEnv> {
  const { log, clock, metrics, guard } = options;
  const app = new Hono<PublisherEnv>();
  app.use(requestId());
  app.use(async (c, next) => {
    const startedAt = clock.now();
    await next();
    const outcome = c.get('outcome');
    if (outcome === undefined) return;
    const tookMs = clock.now() - startedAt;
    metrics.ended(outcome, tookMs);
    log.debug({ ...identity(c), serverId: c.req.param('server'), outcome, tookMs }, 'publish ended');
  });

  app.use(secureHeaders(SECURE_HEADERS), async (c, next): Promise<Response | undefined> => {
    const { host, origin } = c.env.incoming.headers;
    const why = guard({ host, origin });
    if (why !== undefined) return refuse(c, { reason: 'host-not-allowed', detail: why }, { Connection: 'close' });
    await next();
    c.header('Cache-Control', 'no-store');
    return undefined;
  });
  app.use('/v1/*', authenticate(options), paced(options.pace, options.random));

  app.post(CHANGES_PATH, traced(), publishRoute(options));
  app.all(CHANGES_PATH, (c) =>
    refuse(c, { reason: 'method-not-allowed', detail: 'changes are POSTed' }, { Allow: 'POST' }),
  );
  app.post(DISCONNECT_PATH, disconnectRoute(options));
  app.all(DISCONNECT_PATH, (c) =>
    refuse(c, { reason: 'method-not-allowed', detail: 'a disconnect is POSTed' }, { Allow: 'POST' }),
  );
  const document = openApiDocument();
  app.get('/openapi.json', (c) => c.json(document));
  app.all('/openapi.json', (c) =>
    refuse(c, { reason: 'method-not-allowed', detail: 'the document is read with GET' }, { Allow: 'GET, HEAD' }),
  );
  app.notFound((c) =>
    refuse(c, { reason: 'not-found', detail: 'POST changes to /v1/servers/{server}/changes; see /openapi.json' }),
  );
  app.onError((err, c) => {
    log.error({ err, ...identity(c) }, 'request failed');
    return refuse(c, { reason: 'internal-error', detail: 'the log has it under the X-Request-Id of this answer' });
  });
  return app;
}
