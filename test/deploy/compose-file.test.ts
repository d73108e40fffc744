import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readShipped } from './repository.ts';
import { type Environment, gatewaySettings, longestShutdownMs, settingProblems } from './service-settings.ts';

interface ComposeService {
  readonly command?: readonly string[];
  readonly environment?: Environment;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: { readonly default?: { readonly aliases?: readonly string[] } };
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly image?: string;
  readonly build?: object;
  readonly profiles?: readonly string[];
}

const { services } = parse(readShipped('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
};
const entries = Object.entries(services);
const service = (name: string): ComposeService => services[name] ?? {};

describe('the compose file', () => {
  it('publishes on loopback alone, each port by a variable', () => {
    const ports = entries.flatMap(([, one]) => one.ports ?? []);
    expect(ports).toHaveLength(5);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{[A-Z]+_PORT:-\d+\}:\d+$/);
  });

  it('starts nothing before what it needs is healthy, and knows of everything when it is', () => {
    for (const [name, { healthcheck, depends_on = {} }] of entries) {
      expect(healthcheck, `${name} has a healthcheck`).toBeDefined();
      for (const { condition } of Object.values(depends_on)) expect(condition).toBe('service_healthy');
    }
    expect(Object.keys(service('nginx').depends_on ?? {})).toEqual(['gateway-1', 'gateway-2']);
  });

  it.each(['gateway-1', 'gateway-2'])(
    'gives %s settings that it takes, and the time that its drain may take',
    (name) => {
      const { environment = {}, stop_grace_period = '10s' } = service(name);
      expect(settingProblems('gateway', environment)).toEqual([]);
      const graceMs = Number(stop_grace_period.replace(/s$/, '')) * 1_000;
      expect(graceMs).toBeGreaterThanOrEqual(longestShutdownMs(gatewaySettings(environment)));
      const longer = gatewaySettings({ ...environment, LG_DRAIN__WINDOW_MS: '60000' });
      expect(longestShutdownMs(longer), 'a longer window would be found').toBeGreaterThan(graceMs);
    },
  );

  it('lets the gateways be asked for by loopback names alone, though they are bound to every address (P-2.9)', () => {
    const { http, listen } = gatewaySettings(service('gateway-1').environment ?? {});
    expect(http.allowedHosts).toEqual(['localhost', '127.0.0.1']);
    expect(listen.host).toBe('0.0.0.0');
  });

  it('has nginx ask for the name that both gateways answer to, wherever they are', () => {
    const file = './deploy/nginx/docker.conf';
    expect(service('nginx').volumes).toContain(`${file}:/etc/nginx/conf.d/default.conf:ro`);
    const asked = /set \$listen_gateways (\w+):8080;/.exec(readShipped(file))?.[1];
    for (const name of ['gateway-1', 'gateway-2']) expect(service(name).networks?.default?.aliases).toEqual([asked]);
  });

  it('says of each service that is exposed that it is, on purpose', () => {
    for (const name of ['gateway-1', 'gateway-2', 'publisher']) {
      const closed = Object.entries(service(name).environment ?? {}).filter(
        ([variable]) => !variable.includes('EXPOSE'),
      );
      const problems = settingProblems(name === 'publisher' ? name : 'gateway', Object.fromEntries(closed));
      expect(problems).toEqual([expect.stringContaining('xposeWithoutAuthentication')]);
    }
  });

  it('gives the publisher settings that it takes', () => {
    expect(settingProblems('publisher', service('publisher').environment ?? {})).toEqual([]);
  });

  it.each(entries)('leaves %s no root file system to write to and no rights that it does without', (name, one) => {
    expect(one.read_only).toBe(true);
    expect(one.cap_drop).toEqual(['ALL']);
    expect(one.cap_add ?? []).toEqual(name === 'nginx' ? ['CHOWN', 'SETGID', 'SETUID'] : []);
    expect(one.security_opt).toEqual(['no-new-privileges:true']);
  });

  it('takes no image of others that is whatever is newest today', () => {
    const others = entries.filter(([, { build }]) => build === undefined);
    expect(others.map(([name]) => name)).toEqual(['redis', 'nginx', 'prometheus', 'grafana']);
    for (const [, { image }] of others) expect(image).toMatch(/:v?\d[\d.]*(-alpine)?$/);
  });

  it('runs each service that watches on a version of its own, with nothing to write to but its data', () => {
    for (const name of ['prometheus', 'grafana']) {
      const { image, volumes = [] } = service(name);
      expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
      const writable = volumes.filter((volume) => !volume.endsWith(':ro'));
      expect(writable).toEqual(name === 'prometheus' ? ['prometheus:/prometheus'] : []);
    }
    expect(entries.filter(([, { profiles }]) => profiles !== undefined).map(([name]) => name)).toEqual(['grafana']);
  });

  it('has Prometheus ask for names that instances answer to, each that may be added as well', () => {
    const { scrape_configs } = parse(readShipped('deploy/prometheus/prometheus.yml')) as {
      readonly scrape_configs: readonly {
        readonly job_name: string;
        readonly dns_sd_configs: readonly { readonly names: readonly string[]; readonly port: number }[];
      }[];
    };
    const asked = scrape_configs.map(({ job_name, dns_sd_configs }) => [job_name, dns_sd_configs[0]]);
    expect(asked).toEqual([
      ['gateway', expect.objectContaining({ names: ['gateway'], port: 9090 })],
      ['publisher', expect.objectContaining({ names: ['publisher'], port: 9090 })],
    ]);
    for (const name of ['gateway-1', 'gateway-2']) {
      expect(service(name).networks?.default?.aliases).toContain('gateway');
      expect(gatewaySettings(service(name).environment ?? {}).admin).toMatchObject({ host: '0.0.0.0', port: 9090 });
    }
  });

  it('gives Grafana its dashboards and their data source where its provisioning looks for them', () => {
    const { volumes = [], environment = {} } = service('grafana');
    expect(volumes).toEqual([
      './deploy/grafana/provisioning:/etc/grafana/provisioning:ro',
      './deploy/grafana/dashboards:/etc/grafana/dashboards:ro',
    ]);
    const home = environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
    const shipped = home.replace('/etc/grafana/dashboards/', 'deploy/grafana/dashboards/');
    expect(JSON.parse(readShipped(shipped))).toMatchObject({ uid: 'listen-gateway' });
    expect(environment).toMatchObject({ GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer', GF_AUTH_DISABLE_LOGIN_FORM: 'true' });
  });
});
