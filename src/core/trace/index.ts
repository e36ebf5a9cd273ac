export { type Trace, type Tracer, type TracerFactory, traceTo } from './tracer.js'
