import { newApiKey } from './auth/api-key.ts';

const { key, sha256 } = newApiKey();
process.stdout.write(`The key, for the backend; it is shown this once:

  ${key}

Its hash, for publisher.auth.keys or publisher.auth.keysFile; servers and kinds narrow what it is good for:

  - id: choose-a-name
    sha256: ${sha256}
    # servers: [default]
    # kinds: [tools, prompts, resources, resource, task, disconnect]
`);
