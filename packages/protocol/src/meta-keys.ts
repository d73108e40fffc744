import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';

export {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
};

/** The key of the Tasks extension among client capabilities and server extensions (SEP-2663). */
export const TASKS_EXTENSION_KEY = 'io.modelcontextprotocol/tasks';

/** The revision this product speaks. */
export const PROTOCOL_VERSION = '2026-07-28';
