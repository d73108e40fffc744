import { GATEWAYS, type RowSketch } from './sketch.ts';

export const PROCESS: RowSketch = {
  title: 'Process',
  panels: [
    {
      title: 'CPU',
      description: 'Cores that are busy; an instance cannot use much more than one.',
      unit: 'short',
      lines: [
        ['instance:lg_process_cpu_seconds:rate5m{job="gateway", instance=~"$instance"}', '{{instance}}'],
        ['instance:lg_process_cpu_seconds:rate5m{job="publisher"}', 'publisher {{instance}}'],
      ],
    },
    {
      title: 'Memory',
      description: 'Resident, and the part of it that is heap in use.',
      unit: 'bytes',
      lines: [
        [`lg_process_resident_memory_bytes{${GATEWAYS}}`, '{{instance}}'],
        [`lg_nodejs_heap_size_used_bytes{${GATEWAYS}}`, 'heap, {{instance}}'],
      ],
    },
    {
      title: 'Event loop',
      description: 'How late the event loop is, p99 between two scrapes; everything else waits as long.',
      unit: 's',
      lines: [
        [`lg_nodejs_eventloop_lag_p99_seconds{${GATEWAYS}}`, '{{instance}}'],
        ['instance:lg_nodejs_eventloop_lag_p99_seconds:avg5m{job="publisher"}', 'publisher {{instance}}'],
      ],
    },
    {
      title: 'Descriptors',
      description: 'Share of the open files that the process may have; a stream takes one.',
      unit: 'percentunit',
      lines: [['instance:lg_process_open_fds:ratio{instance=~"$instance"}', '{{instance}}']],
    },
    {
      title: 'Starts',
      description: 'Processes that were started at the same address: deploys that keep addresses, and crashes.',
      unit: 'short',
      lines: [[`changes(lg_process_start_time_seconds{${GATEWAYS}}[$__rate_interval])`, '{{instance}}']],
    },
    {
      title: 'Versions',
      description: 'Instances by the version that they run; two of them while a deploy is under way.',
      unit: 'short',
      lines: [['count by (service, version, node) (lg_build_info{job="gateway"})', '{{version}}, Node {{node}}']],
    },
  ],
};
