import { SubscriptionFilterSchema } from '@modelcontextprotocol/core';
import { z } from 'zod';

/**
 * What a host asks for (requested) or was granted (honored). Absent and `false` mean not subscribed.
 * Spec: basic/patterns/subscriptions, Notification Filter; `taskIds` is the Tasks extension's (SEP-2663).
 */
export interface Filter {
  readonly toolsListChanged?: boolean | undefined;
  readonly promptsListChanged?: boolean | undefined;
  readonly resourcesListChanged?: boolean | undefined;
  /** URIs, compared byte for byte. */
  readonly resourceSubscriptions?: readonly string[] | undefined;
  readonly taskIds?: readonly string[] | undefined;
}

/** Reads a filter; members it does not know are left out, so they can never be echoed in an acknowledgement. */
export const FilterSchema: z.ZodType<Filter> = SubscriptionFilterSchema.extend({
  taskIds: z.array(z.string()).optional(),
});
