import { eventually } from '@listen-gateway/testkit';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** A notification as the official client hands it over. */
export interface Heard {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** A host built on the official client, as a coding agent is; keeps all that it hears. */
export class OfficialHost {
  readonly client: Client;
  readonly heard: Heard[] = [];

  private constructor(client: Client) {
    this.client = client;
    client.fallbackNotificationHandler = async (notification) => {
      this.heard.push(notification as Heard);
    };
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<OfficialHost> {
    const client = new Client(
      { name: 'e2e-host', version: '1.0.0' },
      {
        versionNegotiation: { mode: 'auto' },
        capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        ...options,
      },
    );
    const host = new OfficialHost(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return host;
  }

  /** Resolves once so many notifications were heard. */
  async hears(count: number): Promise<readonly Heard[]> {
    await eventually(5_000, `${count} notifications, ${this.heard.length} heard`, () => this.heard.length >= count);
    return this.heard;
  }
}
