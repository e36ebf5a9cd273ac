export { type Trace, type Tracer, type TracerFactory, traceTo } from './translate/tracer.js'
