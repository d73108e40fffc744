/** Long for an issuer that is merely slow, short for the requests that wait. */
const TIMEOUT_MS = 5_000;
/** Far above any key set; what comes above it is no answer. */
const MAX_BYTES = 1024 * 1024;

/** Fetches a JSON object; rejects with what was wrong, never with what was sent. */
export async function fetchJson(url: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    ...init,
    headers: { Accept: 'application/json', ...init.headers },
    // A redirect would carry secrets, and trust, to a place that nobody configured.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await boundedText(response);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const body = parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Error(`${url} answered no JSON object`);
  return body as Readonly<Record<string, unknown>>;
}

async function boundedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
