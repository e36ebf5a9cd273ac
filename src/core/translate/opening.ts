import type { CurrentItem } from '../completion/current-item.js'
import type { OutputItems } from '../completion/output-items.js'
import type { DeclaredTools } from '../recipients/declared-tools.js'
import { unknownToolTypes } from '../response-object/tool-fields.js'
import type { TranslatorContext } from '../state/translator-context.js'

/** Emits the part before the model's first token: diagnostics about the request, listings and approved calls. */
export function emitOpening(
  context: TranslatorContext,
  tools: DeclaredTools,
  output: OutputItems,
  current: CurrentItem,
): void {
  const { request, listings } = context.state
  const { approvedCalls = [] } = context.options
  for (const type of unknownToolTypes(request.tools ?? [])) context.notice('unknown_tool_type', type)
  for (const label of new Set([...listings, ...approvedCalls].map(({ serverLabel }) => serverLabel))) {
    if (!tools.mcpServers.has(label)) context.notice('undeclared_server', label)
  }
  for (const listing of listings) output.insert({ kind: 'mcp_list_tools', listing })
  for (const { arguments: text, ...call } of approvedCalls) {
    current.begin({ ...call, kind: 'mcp_call', available: true })
    if (text !== '') current.write(text)
    current.end('completed')
  }
}
