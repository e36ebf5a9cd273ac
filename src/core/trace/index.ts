/**
 * Which token became which event, for timelines and tests.
 *
 * @packageDocumentation
 */

export { type Trace, type TracedState, type Tracer, type TracerFactory, traceTo } from './tracer.js'
