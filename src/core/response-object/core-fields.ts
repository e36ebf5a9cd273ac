import type { EchoedFields } from './tool-fields.js'

/** The fields of the tools that the client or an MCP server runs. */
export const CORE_FIELDS: EchoedFields = {
  tools: {
    function: 'description parameters strict output_schema async defer_loading allowed_callers',
    custom: 'description format async defer_loading allowed_callers',
    namespace: 'description tools',
    mcp:
      'server_label server_url headers server_description connector_id tunnel_id allowed_tools require_approval ' +
      'defer_loading allowed_callers',
  },
  objects: {
    tool_choice: 'mode server_label tools',
    require_approval: 'always never',
    always: 'tool_names read_only',
    never: 'tool_names read_only',
    allowed_tools: 'tool_names read_only',
    format: 'syntax definition',
  },
}
