// Asks the service in this container how it is, since the image has no curl: `healthcheck.mjs [path of the admin port | URL]`.
// Exits with 0 where it answers below 500; the sample server, which has no admin port, refuses a GET with 405.
import { get } from 'node:http';

// biome-ignore lint/style/noProcessEnv: a probe that loaded the configuration would cost more than what it asks for.
const port = process.env.LG_ADMIN__PORT || 9090;
const url = new URL(process.argv[2] ?? '/livez', `http://127.0.0.1:${port}`);

get(url, { timeout: 2_500 }, ({ statusCode }) => process.exit(statusCode < 500 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
