import { createWriteStream, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { CampaignRecord } from './records.ts';

/** One process' records, a JSON line each. */
export class RecordFile {
  readonly #stream: WriteStream;
  #lines: string[] = [];
  #closing: Promise<void> | undefined;

  constructor(path: string) {
    this.#stream = createWriteStream(path);
  }

  readonly write = (record: CampaignRecord): void => {
    // A write for each record would cost more than the stream that it tells of.
    if (this.#lines.push(JSON.stringify(record)) === 1) setImmediate(() => this.#flush());
  };

  /** Closing twice is fine; what is written later is lost. */
  close(): Promise<void> {
    this.#flush();
    this.#closing ??= new Promise<void>((resolve, reject) => {
      this.#stream.once('error', reject);
      this.#stream.end(resolve);
    });
    return this.#closing;
  }

  #flush(): void {
    if (this.#lines.length > 0 && this.#closing === undefined) this.#stream.write(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}

/** Reads what `RecordFile`s wrote. */
export async function readRecords(paths: readonly string[]): Promise<CampaignRecord[]> {
  const records: CampaignRecord[] = [];
  for (const path of paths) {
    const text = await readFile(path, 'utf8');
    for (const line of text.split('\n')) if (line !== '') records.push(JSON.parse(line) as CampaignRecord);
  }
  return records;
}
