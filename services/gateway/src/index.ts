export { type GatewayConfig, gatewayConfig } from './config.ts';
export { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
