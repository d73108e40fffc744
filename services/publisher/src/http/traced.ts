import type { MiddlewareHandler } from 'hono';
import { PublishSpan } from '../tracing/publish-span.ts';
import type { PublisherEnv } from './answer.ts';

/** Shows a publish in its trace. Behind authentication: nobody else is to have anything recorded. */
export function traced(): MiddlewareHandler<PublisherEnv> {
  return async (c, next) => {
    const span = new PublishSpan(c.env.incoming.headers, c.req.method);
    c.set('span', span);
    await next();
    span.ended(c.res.status, c.get('outcome'));
  };
}
