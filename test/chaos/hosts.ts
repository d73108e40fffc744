import { Crowd, type HostsOrder } from './crowd.ts';
import { RecordFile } from './record-file.ts';

/** Many hosts in one process, driven by its parent over IPC. */
let crowd: Crowd | undefined;
let records: RecordFile | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (order: HostsOrder) => {
  switch (order.type) {
    case 'start':
      records = new RecordFile(order.recordsPath);
      crowd = new Crowd(order, records.write);
      crowd.open();
      break;
    case 'stall':
      crowd?.stall(order.share, order.forMs);
      break;
    case 'reconnect':
      crowd?.reconnect(order.share);
      break;
    case 'surge':
      crowd?.surge(order.count, order.forMs);
      break;
    case 'count':
      process.send?.({ streaming: crowd?.streaming ?? 0 });
      break;
    case 'stop':
      crowd?.close();
      void records?.close().then(() => process.disconnect());
      break;
  }
});
