const name = { type: 'string', minLength: 1 };

/** What `readDisconnect` takes and its route answers, as JSON Schema for the OpenAPI document. */
export const DISCONNECT_SCHEMAS = {
  Disconnect: {
    type: 'object',
    description: 'Which streams of the principal; without a body all of them.',
    properties: {
      sid: { ...name, description: 'Only those opened in this session.' },
      jti: { ...name, description: 'Only those opened with this token.' },
      servers: {
        type: 'array',
        items: name,
        minItems: 1,
        maxItems: 1_000,
        description: 'Only on these servers; else on all with authenticated hosts that the credential is good for.',
      },
    },
    additionalProperties: false,
  },
  DisconnectReceipts: {
    type: 'object',
    properties: {
      receipts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            server: { type: 'string' },
            journalId: { type: 'string', description: 'Its place in the journal of the server.' },
            instances: { type: 'integer', minimum: 0, description: 'Gateway instances that the broker handed it to.' },
          },
          required: ['server', 'journalId', 'instances'],
        },
      },
    },
    required: ['receipts'],
  },
};
