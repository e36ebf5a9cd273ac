/**
 * The endpoint on Node: on a port of its own, or in a server of yours. docs/server.md explains it.
 *
 * @packageDocumentation
 */

export { type SendEventsOptions, sendEvents } from './send-events.js'
export { type ResponsesServer, type ServeOptions, serveResponses } from './serve-responses.js'
export type { NodeResponse } from './stream-body.js'
export { answerUpgrades, type UpgradingServer } from './upgrades.js'
