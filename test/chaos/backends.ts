import { RecordFile } from './record-file.ts';
import { type BackendsOrder, type BackendsReport, Traffic } from './traffic.ts';

/** Several backends in one process, driven by its parent over IPC. */
let traffic: Traffic | undefined;
let records: RecordFile | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (order: BackendsOrder) => void obey(order));

async function obey(order: BackendsOrder): Promise<void> {
  switch (order.type) {
    case 'start':
      records = new RecordFile(order.recordsPath);
      traffic = new Traffic(order, records.write);
      traffic.start();
      break;
    case 'flood':
      await traffic?.flood(order);
      report('flooded');
      break;
    case 'batches':
      traffic?.batches(order.count, order.length);
      break;
    case 'stop':
      await traffic?.stop();
      await records?.close();
      report('stopped');
      break;
  }
}

function report(message: BackendsReport): void {
  process.send?.(message);
}
