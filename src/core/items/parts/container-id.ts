import type { ResponseRequest } from '../../responses/request.js'
import type { ItemContext } from '../item-context.js'

/**
 * Returns the id of the container in which the host runs this tool: the host's choice, else the one that the request
 * names, else that of the code interpreter's calls before, else a derived one for the whole response.
 */
export function containerIdOf(tool: 'code_interpreter' | 'shell', context: ItemContext): string {
  const { options, state } = context
  const known = tool === 'code_interpreter' ? options.knownContainerId : undefined
  const given = options.containerId ?? requestedContainer(state.request, tool) ?? known
  if (given !== undefined) return given
  state.containerId ??= context.id('cntr')
  return state.containerId
}

/** Returns the container id in the request's declaration of this tool, if any. */
function requestedContainer({ tools }: ResponseRequest, of: string): string | undefined {
  for (const tool of tools ?? []) {
    const { type, container, environment } = tool as { [field: string]: unknown }
    const id = (Object(environment) as { container_id?: unknown }).container_id ?? container
    if (type === of && typeof id === 'string') return id
  }
  return undefined
}
