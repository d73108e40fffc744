import type { ServiceSetting, ShutdownStep } from '@listen-gateway/service-kit';
import type { Gateway } from './gateway.ts';

/** The first step of an instance's shutdown; a second signal hastens it. */
export function drainStep(gateway: Gateway, hastenBy: ServiceSetting<unknown>['hastenBy']): ShutdownStep {
  return {
    name: 'drain',
    run: () => {
      const drain = gateway.drain();
      hastenBy(() => drain.hasten());
      return drain.done;
    },
  };
}
