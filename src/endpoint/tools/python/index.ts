/**
 * The Python that gpt-oss was trained with, for requests that declare `code_interpreter`. docs/tools.md explains it.
 *
 * @packageDocumentation
 */

export type { EarlierResult, HostedCall, Tool, ToolContext, ToolProgress } from '../tool.js'
export type { OpenBoundary, PythonBoundary, PythonLimits } from './boundary.js'
export { type BubblewrapOptions, bubblewrap } from './bubblewrap.js'
export { type ContainerOptions, docker, podman } from './containers.js'
export { createPythonTool, type PythonTool, type PythonToolOptions } from './python-tool.js'
