import { NOTIFICATION_METHODS } from '@listen-gateway/protocol';
import { MAX_CHANGES } from './read-changes.ts';

const RPC_ERROR = {
  type: 'object',
  properties: { code: { type: 'integer' }, message: { type: 'string' } },
  required: ['code', 'message'],
};

/**
 * What `readChanges` takes, as JSON Schema for the OpenAPI document. Written out rather than derived, because the task
 * schema is checked by code that zod cannot express; a test holds it to what the API really takes.
 */
export const CHANGE_SCHEMAS = {
  Body: { anyOf: [{ $ref: '#/components/schemas/Change' }, { $ref: '#/components/schemas/Batch' }] },
  Batch: {
    type: 'object',
    description: 'Published in order, all or none.',
    properties: {
      changes: { type: 'array', items: { $ref: '#/components/schemas/Change' }, minItems: 1, maxItems: MAX_CHANGES },
    },
    required: ['changes'],
    additionalProperties: false,
  },
  Change: {
    anyOf: ['ListChange', 'ResourceChange', 'TaskChange'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    description: 'The MCP notification that hosts are to get.',
  },
  ListChange: notification({
    methods: [NOTIFICATION_METHODS.tools, NOTIFICATION_METHODS.prompts, NOTIFICATION_METHODS.resources],
    params: { type: 'object', properties: { _meta: { type: 'object' } }, additionalProperties: false },
    required: [],
  }),
  ResourceChange: notification({
    methods: [NOTIFICATION_METHODS.resource],
    params: {
      type: 'object',
      properties: {
        uri: { type: 'string', minLength: 1, description: 'Compared byte for byte with what hosts subscribed to.' },
        _meta: { type: 'object' },
      },
      required: ['uri'],
      additionalProperties: false,
    },
    required: ['params'],
  }),
  TaskChange: notification({
    methods: [NOTIFICATION_METHODS.task],
    params: {
      type: 'object',
      description: 'The full task, as tasks/get would return it now (SEP-2663); its status says what else it carries.',
      properties: {
        taskId: { type: 'string' },
        status: { enum: ['working', 'input_required', 'completed', 'failed', 'cancelled'] },
        createdAt: { type: 'string' },
        lastUpdatedAt: { type: 'string' },
        ttlMs: { type: ['integer', 'null'] },
      },
      required: ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs'],
      anyOf: [
        { properties: { status: { enum: ['working', 'cancelled'] } } },
        {
          properties: { status: { const: 'input_required' }, inputRequests: { type: 'object' } },
          required: ['inputRequests'],
        },
        { properties: { status: { const: 'completed' }, result: { type: 'object' } }, required: ['result'] },
        { properties: { status: { const: 'failed' }, error: RPC_ERROR }, required: ['error'] },
      ],
    },
    required: ['params'],
  }),
};

interface NotificationShape {
  readonly methods: readonly string[];
  readonly params: object;
  readonly required: readonly string[];
}

function notification({ methods, params, required }: NotificationShape) {
  return {
    type: 'object',
    properties: {
      method: { enum: methods },
      params,
      audience: {
        type: 'object',
        description: 'Narrows delivery to streams of these principals; needs a server whose hosts are authenticated.',
        properties: { subjects: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 } },
        required: ['subjects'],
        additionalProperties: false,
      },
      jsonrpc: { const: '2.0' },
    },
    required: ['method', ...required],
    additionalProperties: false,
  };
}
