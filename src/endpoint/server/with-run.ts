import type { Tool } from '../tools/tool.js'

/** Replaces a tool's `run`. The other methods are called on the tool itself, which may be an instance of a class. */
export function withRun(tool: Tool, run: Tool['run']): Tool {
  const { listings, serverLabels, isRepeatable, ignores, containerExpiry } = tool
  return {
    answers: (call) => tool.answers(call),
    run,
    ...(serverLabels && { serverLabels }),
    ...(isRepeatable && { isRepeatable: (call, context) => isRepeatable.call(tool, call, context) }),
    ...(ignores && { ignores: (declaration) => ignores.call(tool, declaration) }),
    ...(containerExpiry && { containerExpiry: (id, owner) => containerExpiry.call(tool, id, owner) }),
    ...(listings && { listings: (request, context) => listings.call(tool, request, context) }),
  }
}
