import { describe, expect, it } from 'vitest';
import { originsConfig } from './config-origins.ts';

const takes = (origin: string) => originsConfig.safeParse([origin]).success;

describe('an allowed origin', () => {
  it.each([
    'https://app.example',
    'http://localhost:5173',
    'https://APP.example:8443',
    'http://[::1]:3000',
    'vscode-webview://abc',
    'http://app.example:8080',
  ])('may be %s', (origin) => {
    expect(takes(origin)).toBe(true);
  });

  it.each([
    '*',
    'https://*.example',
    'null',
    '',
    'app.example',
    'https://app.example/',
    'https://app.example/a',
    'https://user@app.example',
    'https://app.example:443',
    'http://app.example:80',
    'https://a b',
  ])('may not be %j, which no browser sends or which would let in too much', (origin) => {
    expect(takes(origin)).toBe(false);
  });
});
