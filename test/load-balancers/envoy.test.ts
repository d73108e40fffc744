import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readShipped } from '../deploy/repository.ts';
import { VARIANTS } from './balancer.ts';
import { envoyProblems } from './envoy-types.ts';

// Neither Debian nor npm has the program, so its types must do; docs/load-balancers.md says so.
describe.each(VARIANTS)('the Envoy configuration %s.yaml', (variant) => {
  const text = readShipped(`deploy/envoy/${variant}.yaml`);

  it('says nothing that Envoy has no field for', () => {
    expect(envoyProblems(parse(text))).toEqual([]);
  });

  it.each([
    ['a misspelling', 'stream_idle_timeout', 'stream_idle_time_out', /stream_idle_time_out: .* has no such field/],
    ['a number for a duration', 'connect_timeout: 2s', 'connect_timeout: 2', /connect_timeout: not a duration/],
    ['a policy that there is not', 'LEAST_REQUEST', 'LEAST_CONN', /lb_policy: not LbPolicy/],
    ['a type that there is not', 'router.v3.Router', 'router.v3.Route', /no type/],
  ])('would be found to say %s', (_, said, instead, problem) => {
    expect(envoyProblems(parse(text.replace(said, instead))).join('\n')).toMatch(problem);
  });
});
