import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateMember } from './duplicate-member.ts';

describe('a message', () => {
  it.each([
    ['{"method":"a","method":"b"}', 'method'],
    ['{"id":1,"params":{},"id":1}', 'id'],
    ['{"params":{"_meta":{"x":1,"x":2}}}', 'params._meta.x'],
    [
      '{"params":{"notifications":{"toolsListChanged":false,"toolsListChanged":true}}}',
      'params.notifications.toolsListChanged',
    ],
    ['{"params":{"a":1},"jsonrpc":"2.0","params":{}}', 'params'],
    ['{"met\\u0068od":"a","method":"b"}', 'method'],
    [' \n{ "a" : [ "}" , {"b":"]"} ] ,\t"a" : 1 }', 'a'],
    ['{"params":{"__proto__":1,"__proto__":2}}', 'params.__proto__'],
  ])('%s names %s twice', (text, member) => {
    expect(duplicateMember(text)).toBe(member);
  });

  it.each([
    '{}',
    '[]',
    '"x"',
    '7',
    'null',
    '{"params":{"arguments":{"a":1,"a":2}}}',
    '{"a":{"x":1},"b":{"x":1},"params":{"a":"\\"a\\":1,"}}',
    '{"a":"\\\\","b":1}',
  ])('%s names nothing twice that is checked here', (text) => {
    expect(duplicateMember(text)).toBeUndefined();
  });

  it('written by a JSON writer never names a member twice', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), fc.jsonValue(), (rest, meta, other) => {
        const message = { ...rest, params: { _meta: meta, notifications: other, ...rest } };
        expect(duplicateMember(JSON.stringify(message))).toBeUndefined();
        expect(duplicateMember(JSON.stringify(message, undefined, 2))).toBeUndefined();
      }),
    );
  });

  it('with one member repeated anywhere among those of params is found out', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { minLength: 1, selector: ([key]) => key }),
        fc.nat(),
        fc.nat(),
        (members, from, to) => {
          const pairs = members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
          const again = pairs[from % pairs.length] as string;
          pairs.splice(to % (pairs.length + 1), 0, again);
          expect(duplicateMember(`{"params":{${pairs.join(',')}}}`)).toBeDefined();
        },
      ),
    );
  });

  it('nested deeper than any stack is passed over', () => {
    const depth = 200_000;
    expect(duplicateMember(`{"params":{"arguments":${'['.repeat(depth)}${']'.repeat(depth)}}}`)).toBeUndefined();
  });
});
