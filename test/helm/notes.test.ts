import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CHART, parseObjects, template, type Values } from './chart.ts';
import { HELM_MS } from './helm-program.ts';

// Helm shows the notes of a release that a cluster has taken, and template leaves them out. So this copy of the chart has a
// template that makes a text of them.
const SHOWN = '{{ dict "notes" (include (print .Template.BasePath "/NOTES.txt") .) | toYaml }}';
const copy = mkdtempSync(join(tmpdir(), 'listen-gateway-notes-'));
cpSync(CHART, copy, { recursive: true });
writeFileSync(join(copy, 'templates', 'shown.yaml'), SHOWN);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function notesOf(values: Values): Promise<string> {
  const { stdout, stderr } = await template(
    values,
    ['--show-only', 'templates/shown.yaml', '--namespace', 'mcp'],
    copy,
  );
  const notes = parseObjects(stdout)[0]?.notes as string | undefined;
  if (notes === undefined) throw new Error(stderr);
  return notes;
}

const AUTH = { issuer: 'https://id.example.com', audience: 'https://mcp.example.com' };
const SAFE = { servers: { acme: { auth: AUTH } }, publisher: { auth: { keysFile: '/etc/keys.yaml' } } };

describe('the notes', { timeout: HELM_MS }, () => {
  it('say what keeps the services from their start, and what would mend it', async () => {
    const notes = await notesOf({ config: { servers: { acme: {}, shop: { auth: AUTH } } } });
    expect(notes).toContain('WARNING: The gateway does not start: nobody is asked who they are at acme. Set');
    expect(notes).toContain('WARNING: The publisher does not start');
    expect(notes).toContain('create secret generic broker --from-literal=url=');
  });

  it.each([
    [{ config: SAFE }],
    [{ config: { http: { exposeWithoutAuthentication: true }, publisher: { exposeWithoutAuthentication: true } } }],
    [
      {
        gateway: { extraEnv: [{ name: 'LG_HTTP__EXPOSE_WITHOUT_AUTHENTICATION', value: 'true' }] },
        publisher: { extraEnv: [{ name: 'LG_PUBLISHER__EXPOSE_WITHOUT_AUTHENTICATION', value: 'true' }] },
      },
    ],
  ])('warn of nothing where it is said who is let in: %j', async (values) => {
    expect(await notesOf(values)).not.toContain('WARNING');
  });

  it('name the next commands with the names that were made', async () => {
    const notes = await notesOf({ config: SAFE });
    for (const service of ['gateway', 'publisher']) {
      expect(notes).toContain(`kubectl --namespace mcp rollout status deployment/acme-listen-gateway-${service}`);
      expect(notes).toContain(`port-forward service/acme-listen-gateway-${service} 808`);
    }
    expect(notes).toContain('http://127.0.0.1:8080/mcp/acme ');
    expect(notes).toContain('http://127.0.0.1:8081/v1/servers/acme/changes');
    expect(notes).toContain('No way leads in from outside');
  });

  it('ask for no Secret where the chart makes it, and for each key where there are two', async () => {
    expect(await notesOf({ broker: { url: 'redis://redis' } })).not.toContain('create secret');
    const keys = { gateway: 'gateway', publisher: 'publisher' };
    expect(await notesOf({ broker: { existingSecret: 'redis', keys } })).toMatch(
      /secret generic redis --from-literal=(gateway|publisher)=\S+ --from-literal=(gateway|publisher)=/,
    );
  });

  it.each([
    ['https://mcp.example.com/mcp', { ingress: { enabled: true } }],
    ['http://mcp.example.com/mcp', { ingress: { enabled: true, tlsSecretName: '' } }],
    ['https://streams.example.com/mcp', { httpRoute: { enabled: true, hostnames: ['streams.example.com'] } }],
  ])('tell where hosts connect: %s', async (url, values) => {
    expect(await notesOf(values)).toContain(`Hosts connect to ${url}\n`);
  });

  it('name the labels that network policies look for', async () => {
    expect(await notesOf({ networkPolicy: { enabled: true } })).toContain('listen-gateway/hosts=true');
  });
});
