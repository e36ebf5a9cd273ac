import { type ClientModel, Seen } from './client.js'

/** The openai SDK. */
export const openai: ClientModel = {
  client: 'openai',
  name: 'The openai SDK',
  versions: { openai: '7.57.0' },
  reads: {
    streamed: true,
    final: true,
    refusals: false,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    citations: true,
    incomplete: 'incomplete',
    failed: 'failed',
  },
  rules: [],
  begin() {
    return { seen: new Seen(), read() {}, end() {} }
  },
}

/** What the stream helper of openai 7.57 takes; a keepalive, too, though its types do not have it. */
const KNOWN =
  /^(error|keepalive|response\.(created|queued|in_progress|completed|incomplete|failed|output_item\.(added|done)|content_part\.(added|done)|(output_text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments|custom_tool_call_input|mcp_call_arguments|code_interpreter_call_code)\.(delta|done)|output_text\.annotation\.added|reasoning_summary_part\.(added|done)|(mcp_call|mcp_list_tools)\.(in_progress|completed|failed)|web_search_call\.(in_progress|searching|completed)|file_search_call\.(in_progress|searching|completed)|code_interpreter_call\.(in_progress|interpreting|completed)|image_generation_call\.(in_progress|generating|partial_image|completed)|shell_call_command\.(added|delta|done)|shell_call_output_content\.(delta|done)|audio\.(delta|done)|audio\.transcript\.(delta|done)|compaction\.compacting))$/
