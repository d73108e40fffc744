// Asks whether a URL answers, since the image has no curl: 0 where it does with less than 500, else 1. The sample server
// has no admin port and refuses a GET with 405; that will do.
import { get } from 'node:http';

get(process.argv[2], { timeout: 2_500 }, ({ statusCode }) => process.exit(statusCode < 500 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
