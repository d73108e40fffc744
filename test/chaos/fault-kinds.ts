import type { FaultKind } from './fault.ts';
import { badPayloads } from './faults/bad-payloads.ts';
import { instanceClockStepped, redisClockStepped } from './faults/clock-stepped.ts';
import { slotMasterFrozen, slotMasterKilled, slotMoved } from './faults/cluster-slot.ts';
import { commandConnectionsKilled, receiveConnectionsKilled } from './faults/connections-killed.ts';
import { hostsReconnecting } from './faults/hosts-reconnecting.ts';
import { hostsStalled } from './faults/hosts-stalled.ts';
import { instanceFrozen } from './faults/instance-frozen.ts';
import { instanceKilled } from './faults/instance-killed.ts';
import { instanceOutrun } from './faults/instance-outrun.ts';
import { instanceTerminated } from './faults/instance-terminated.ts';
import { linkCut } from './faults/link-cut.ts';
import { linkDeaf } from './faults/link-deaf.ts';
import { commandsDropped, packetsDropped, repliesDropped } from './faults/packets-dropped.ts';
import { publisherKilled } from './faults/publisher-killed.ts';
import { redisEmptied } from './faults/redis-emptied.ts';
import { redisEmptiedBehindCutLink } from './faults/redis-emptied-behind-cut-link.ts';
import { redisFrozen5, redisFrozen30 } from './faults/redis-frozen.ts';
import { redisRestarted } from './faults/redis-restarted.ts';
import { redisSetBack } from './faults/redis-set-back.ts';
import {
  allServersLost,
  failoverOrdered,
  masterFrozen,
  masterKilled,
  replicaLost,
} from './faults/sentinel-failover.ts';

/** Everything that can go wrong, those that last long at the end. */
export const FAULT_KINDS: readonly FaultKind[] = [
  receiveConnectionsKilled,
  commandConnectionsKilled,
  redisRestarted,
  redisEmptied,
  redisEmptiedBehindCutLink,
  redisSetBack,
  failoverOrdered,
  masterKilled,
  masterFrozen,
  replicaLost,
  allServersLost,
  slotMasterKilled,
  slotMasterFrozen,
  slotMoved,
  redisFrozen5,
  packetsDropped,
  repliesDropped,
  commandsDropped,
  linkCut,
  linkDeaf,
  instanceKilled,
  instanceTerminated,
  instanceFrozen,
  instanceOutrun,
  hostsStalled,
  hostsReconnecting,
  publisherKilled,
  badPayloads,
  redisClockStepped,
  instanceClockStepped,
  redisFrozen30,
];
