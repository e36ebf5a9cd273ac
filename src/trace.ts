export type { Trace, Tracer, TracerFactory } from './translate/diagnostics.js'
export { traceTo } from './translate/tracer.js'
