export { checkExposure, type GatewayConfig, gatewayConfig } from './config.ts';
export { drainStep } from './drain-step.ts';
export { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
