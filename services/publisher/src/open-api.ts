import { SERVER_ID_PATTERN } from '@listen-gateway/protocol';
import { productVersion } from '@listen-gateway/service-kit';
import { CHANGE_SCHEMAS } from './change-schema.ts';
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
      schemas: { ...CHANGE_SCHEMAS, Receipts: receipts(), Problem: problem() },
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
    ],
    requestBody: { required: true, content: { 'application/json': { schema: ref('Body') } } },
    responses: { 202: accepted(), ...refusals() },
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

/** One response for each status; the reasons behind it are its description. */
function refusals(): Record<string, object> {
  // These two are answers to other methods and paths than the ones the document describes.
  const reasons = ALL_REASONS.filter((reason) => reason !== 'method-not-allowed' && reason !== 'not-found');
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
