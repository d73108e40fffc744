import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import protobuf, { type Field, type Type } from 'protobufjs';

// Envoy's own definitions, as gRPC ships them for its clients of Envoy's control plane.
const require = createRequire(import.meta.url);
const main = require.resolve('@grpc/grpc-js-xds');
const definitions = join(main.slice(0, main.lastIndexOf('/build/')), 'deps');
const FOLDERS = [
  ...['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) => join(definitions, name)),
  dirname(require.resolve('protobufjs')),
];
const EXTENSIONS = 'envoy/extensions';
const FILES = [
  'envoy/config/bootstrap/v3/bootstrap.proto',
  `${EXTENSIONS}/filters/network/http_connection_manager/v3/http_connection_manager.proto`,
  `${EXTENSIONS}/filters/http/buffer/v3/buffer.proto`,
  `${EXTENSIONS}/filters/http/router/v3/router.proto`,
  `${EXTENSIONS}/retry/host/previous_hosts/v3/previous_hosts.proto`,
  `${EXTENSIONS}/transport_sockets/tls/v3/tls.proto`,
  `${EXTENSIONS}/upstreams/http/v3/http_protocol_options.proto`,
];

const root = new protobuf.Root();
root.resolvePath = (_, target) => FOLDERS.map((folder) => join(folder, target)).find(existsSync) ?? null;
root.loadSync(FILES, { keepCase: true }).resolveAll();

/** What Envoy would not understand of a configuration: names that it does not have, values of another type, two of a choice. */
export function envoyProblems(config: unknown): readonly string[] {
  return messageProblems(config, root.lookupType('envoy.config.bootstrap.v3.Bootstrap'), '');
}

function messageProblems(value: unknown, type: Type, path: string): readonly string[] {
  if (type.name === 'Duration') return expect(/^\d+(\.\d+)?s$/.test(String(value)), path, 'a duration');
  if (isWrapper(type)) return fieldProblems(value, type.fields.value as Field, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: not ${type.fullName}`];
  const members = Object.entries(value);
  if (type.fullName === '.google.protobuf.Any') return anyProblems(value as { '@type'?: string }, path);
  const doubled = type.oneofsArray.filter((one) => one.oneof.filter((name) => name in value).length > 1);
  return [
    ...doubled.map(({ name }) => `${path}: more than one ${name}`),
    ...members.flatMap(([name, member]) => {
      const field = type.fields[name];
      const at = `${path}/${name}`;
      return field === undefined ? [`${at}: ${type.fullName} has no such field`] : fieldProblems(member, field, at);
    }),
  ];
}

function anyProblems({ '@type': url = '', ...rest }: { readonly '@type'?: string }, path: string): readonly string[] {
  const name = url.replace('type.googleapis.com/', '');
  const found = root.lookup(name);
  return found instanceof protobuf.Type ? messageProblems(rest, found, path) : [`${path}: no type ${url}`];
}

function fieldProblems(value: unknown, field: Field, path: string): readonly string[] {
  if (field.map)
    return Object.entries(value as object).flatMap(([key, one]) => oneProblems(one, field, `${path}/${key}`));
  if (!field.repeated) return oneProblems(value, field, path);
  if (!Array.isArray(value)) return [`${path}: not a list`];
  return value.flatMap((one, at) => oneProblems(one, field, `${path}/${at}`));
}

function oneProblems(value: unknown, field: Field, path: string): readonly string[] {
  const { resolvedType, type } = field;
  if (resolvedType instanceof protobuf.Type) return messageProblems(value, resolvedType, path);
  if (resolvedType !== null) return expect(String(value) in resolvedType.values, path, resolvedType.name);
  const expected = type === 'string' || type === 'bytes' ? 'string' : type === 'bool' ? 'boolean' : 'number';
  return expect(typeof value === expected, path, `a ${expected}`);
}

function isWrapper({ fullName }: Type): boolean {
  return /^\.google\.protobuf\.\w+Value$/.test(fullName) && !/\.(Value|ListValue)$/.test(fullName);
}

function expect(holds: boolean, path: string, what: string): readonly string[] {
  return holds ? [] : [`${path}: not ${what}`];
}
