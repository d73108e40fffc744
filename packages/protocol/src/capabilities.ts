/** Which changes a server announces in `server/discover`, and which parts of a filter are therefore honored. */
export interface ChangeCapabilities {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: ResourceCapabilities;
  readonly tasks: boolean;
}

export interface ResourceCapabilities {
  readonly listChanged: boolean;
  readonly subscribe: boolean;
  /**
   * Whether a subscription to a URI also hears of changes beneath it, on path-segment boundaries.
   * Spec: schema, `ResourceUpdatedNotificationParams`; exact match is the default.
   */
  readonly subResources: boolean;
}
