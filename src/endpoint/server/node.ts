export { type SendEventsOptions, sendEvents } from './send-events.js'
export { type ResponsesServer, type ServeOptions, serveResponses } from './serve-responses.js'
export { answerUpgrades, type UpgradingServer } from './upgrades.js'
