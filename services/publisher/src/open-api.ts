import { SERVER_ID_PATTERN } from '@listen-gateway/protocol';
import { productVersion } from '@listen-gateway/service-kit';
import { CHANGE_SCHEMAS } from './change-schema.ts';
import { DISCONNECT_SCHEMAS } from './disconnect-schema.ts';
import { ALL_REASONS, type Reason, statusOf, titleOf } from './problem.ts';

/**
 * The OpenAPI 3.1 document of the API. Written by hand: what derives such documents from route schemas also reads the
 * bodies, and then answers bad UTF-8 or JSON in its own words instead of as a problem.
 */
export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Listen Gateway publisher',
      version: productVersion(),
      description: 'Backends say what changed; every MCP host that listens for it is notified.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths: {
      '/v1/servers/{server}/changes': {
        parameters: [
          {
            name: 'server',
            in: 'path',
            required: true,
            description: 'A server that the publisher is configured for.',
            schema: { type: 'string', pattern: SERVER_ID_PATTERN.source },
          },
        ],
        post: publishOperation(),
      },
      '/v1/principals/{subject}/disconnect': {
        parameters: [
          {
            name: 'subject',
            in: 'path',
            required: true,
            description:
              'The subject of their tokens, URL-encoded, with the prefix of its issuer where one is configured.',
            schema: { type: 'string', minLength: 1 },
          },
        ],
        post: disconnectOperation(),
      },
    },
    security: [{ bearer: [] }, {}],
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key or a JWT, where the publisher asks for one.',
        },
      },
      schemas: { ...CHANGE_SCHEMAS, ...DISCONNECT_SCHEMAS, Receipts: receipts(), Problem: problem() },
    },
  };
}

function publishOperation() {
  return {
    operationId: 'publishChanges',
    summary: 'Publish one change, or several in order',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'Makes a retry safe: the same key with the same changes publishes once, with the same receipts.',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      },
      {
        name: 'traceparent',
        in: 'header',
        description:
          'W3C Trace Context, told to hosts; holds for each change without one in its _meta. tracestate goes with it.',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: ref('Body') } } },
    responses: { 202: accepted(), ...refusals(['invalid-disconnect', 'no-principals']) },
  };
}

function disconnectOperation() {
  const receipts = { 'application/json': { schema: ref('DisconnectReceipts') } };
  return {
    operationId: 'disconnectPrincipal',
    summary: 'End the streams of a principal on every instance, for logout and revocation',
    description:
      'Repeating it does no harm. A host whose credential is still good may listen again: revoke that first.',
    requestBody: { required: false, content: { 'application/json': { schema: ref('Disconnect') } } },
    responses: {
      202: { description: 'The broker has it for every server; one receipt each.', content: receipts },
      ...refusals([
        'invalid-changes',
        'invalid-idempotency-key',
        'unknown-server',
        'undeliverable-changes',
        'idempotency-key-reused',
      ]),
    },
  };
}

function accepted() {
  return {
    description: 'The broker has all of them; one receipt each, in order.',
    headers: {
      'Idempotency-Replayed': {
        description: 'There when the changes had been published under this key before, and were not published again.',
        schema: { const: 'true' },
      },
    },
    content: { 'application/json': { schema: ref('Receipts') } },
  };
}

/** One response for each status, of those reasons that are not the other operation's; they are its description. */
function refusals(elsewhere: readonly Reason[]): Record<string, object> {
  // These two are answers to other methods and paths than the ones the document describes.
  const unlisted: ReadonlySet<Reason> = new Set([...elsewhere, 'method-not-allowed', 'not-found']);
  const reasons = ALL_REASONS.filter((reason) => !unlisted.has(reason));
  const byStatus = new Map<number, Reason[]>();
  for (const reason of reasons) byStatus.set(statusOf(reason), [...(byStatus.get(statusOf(reason)) ?? []), reason]);
  const responses = [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(([status, causes]) => [
      status,
      {
        description: causes.map((reason) => `${titleOf(reason)} (${reason}).`).join(' '),
        ...((status === 503 || status === 429) && {
          headers: { 'Retry-After': { schema: { type: 'string', pattern: '^[0-9]+$' } } },
        }),
        content: { 'application/problem+json': { schema: ref('Problem') } },
      },
    ]);
  return Object.fromEntries(responses);
}

function receipts() {
  const receipt = {
    type: 'object',
    properties: {
      journalId: { type: 'string', description: 'Grows with each change of the server.' },
      instances: { type: 'integer', minimum: 0, description: 'Gateway instances that the broker handed it to.' },
    },
    required: ['journalId', 'instances'],
  };
  return { type: 'object', properties: { receipts: { type: 'array', items: receipt } }, required: ['receipts'] };
}

function problem() {
  const member = {
    type: 'object',
    properties: {
      pointer: { type: 'string', description: 'JSON Pointer into the body, as a URI fragment.' },
      detail: { type: 'string' },
    },
    required: ['pointer', 'detail'],
  };
  return {
    type: 'object',
    description: 'RFC 9457 problem details.',
    properties: {
      type: { enum: ALL_REASONS.map((reason) => `urn:listen-gateway:problem:${reason}`) },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      errors: { type: 'array', items: member },
    },
    required: ['type', 'title', 'status', 'detail'],
  };
}

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}
