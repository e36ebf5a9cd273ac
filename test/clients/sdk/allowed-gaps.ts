/** What an SDK knows and this library need not, by its place, with the reason. */
export type AllowedGaps = readonly (readonly [place: RegExp, reason: string])[]

/** What clients send. */
export const OF_REQUESTS: AllowedGaps = [
  [/^\.(prompt|moderation)$/, 'refused: docs/request.md says why'],
  [/^\.(access_programs|image)$/, "ignored: OpenAI's own"],
  [/^\.reasoning\.generate_summary$/, 'the parser renames it to summary'],
]

export const OF_INPUT: AllowedGaps = [
  [/^<image_generation_call>\./, 'the model reads the prompt of an image and that there is one, not how it was made'],
  [/^<shell_call>\.environment<local>\.skills$/, 'skills are files of OpenAI, which no model here can open'],
]

export const OF_SEVERAL_AGENTS: AllowedGaps = [
  ...OF_INPUT,
  [/^<\w+>\.agent$/, 'the parser leaves out who wrote an item of several agents: the conversation is one'],
]

export const OF_TOOLS: AllowedGaps = [
  [
    /^<(computer_use_preview|image_generation|tool_search)>\./,
    'no recipient addresses the tool, so that it is echoed by its type alone',
  ],
  [/^<shell>\.environment<(local|container_auto)>\./, 'the host decides where a shell runs; only its kind is echoed'],
]

/** What servers send, as the judge reads it. */
export const OF_THE_WIRE: AllowedGaps = [
  [
    /^(<response\.completed>\.response)?\.output_text$/,
    'made by the SDKs: the rule no-output-text forbids it on the wire',
  ],
  [/^<error>\.(code|message|param)$/, 'the wire has them under `error`, which the judge wants'],
  [/\.obfuscation$/, 'a row of `extraKeys`, which the schemas have and the written types leave out'],
]

/** What this library emits. */
export const OF_OUTPUT_ITEMS: AllowedGaps = [
  [
    /^<(computer_call|program|tool_search_call|image_generation_call|compaction|apply_patch_call_output)>$/,
    'no gpt-oss model calls it; hosts insert images and compactions, which `WholeItemByType` types',
  ],
  [
    /^<(function|custom_tool|computer|local_shell)_call_output>$|^<(program|tool_search)_output>$|^<(additional_tools|mcp_approval_response)>$/,
    'only clients and other models write it: it is input',
  ],
  [/\.annotations\[\]<(container_file_citation|file_path)>$/, 'no container of OpenAI, whose files it cites'],
  [/^<message>\.content\[\]<refusal>$/, 'gpt-oss refuses in its text; hosts insert refusals'],
  [/^<\w+>(\.output\[\])?\.(async|caller|created_by)$/, 'the model calls each tool itself, and waits for it'],
  [/^<mcp_call>\.status = 'calling'$/, 'a call is in progress from its first token on'],
  [/^<web_search_call>\.action<search>\.queries$/, 'gpt-oss searches for one text at a time'],
]

export const OF_RESPONSES: AllowedGaps = [
  [/^\.output_text$/, 'made by the SDKs'],
  [/^\.access_programs\./, 'always null'],
  [/^\.error\.(misalignment|param|code = ')/, "of OpenAI's checks of images and policies, and its vector stores"],
  [
    /^\.incomplete_details\.reason = '(max_messages|steered)'$/,
    'of clients that steer a running response; none does here',
  ],
  [/^\.(image|input_transformations|moderation|prompt|prompt_cache_diagnostics|tool_usage)$/, "OpenAI's own"],
  [/^\.instructions\[\]$/, 'instructions are a text here'],
  [/^\.reasoning\.generate_summary$/, 'echoed as summary'],
  [/^\.usage\.input_tokens_details\.cache_write_tokens_details$/, 'engines do not report writes of their caches'],
  [
    /^\.(tools\[\]|tool_choice<|text\.format<)/,
    'echoed as the request has it, without secrets; the type promises the least of it, so that it fits all SDKs',
  ],
]

export const OF_EVENTS: AllowedGaps = [
  [
    /^<response\.(audio\.|image_generation_call\.|refusal\.)/,
    'no gpt-oss model writes it; hosts insert images and refusals',
  ],
  [/^<response\.compaction\.compacting>$/, 'a compaction is inserted whole'],
  [/^<response\.content_part\.\w+>\.part<refusal>$/, 'gpt-oss refuses in its text; hosts insert refusals'],
  [/^<response\.output_text\.annotation\.added>\.annotation</, 'no container of OpenAI, whose files it cites'],
  [/^<error>\.(code|message|param)$/, 'nested, as on the wire: the flat form breaks the AI SDK and Codex'],
  [/\.(obfuscation|created_by)$/, 'padding of OpenAI, and who made a result'],
  [/^<response\.reasoning_summary_part\.done>\.status$/, 'a summary is whole when it is shown'],
]

/** Of Chat Completions. */
export const OF_CHAT: AllowedGaps = [
  [/\.audio$/, 'no sound'],
  [/\.delta\.role = '/, 'only the assistant answers'],
  [/\.logprobs\.refusal\[\]$/, 'gpt-oss refuses in its text'],
  [/^\.(metadata|moderation|obfuscation|service_tier|system_fingerprint)$/, 'optional, and nothing here has it'],
  [
    /^\.usage\.\w+_details\./,
    'counts of sound, images and predictions, and of written caches, which engines do not report',
  ],
]

/** Of the Messages API. */
export const OF_MESSAGES: AllowedGaps = [
  [/<container_upload>$/, 'no container of Anthropic'],
  [/\.container\.skills\[\]$/, 'skills are refused, so that it is always null'],
  [/\.citations\[\]<(?:char|page|content_block|search_result)_location>$/, 'nothing but pages of the web is cited'],
  [/\.(caller|toolset_name|diagnostics|stop_details)$/, 'optional, and nothing here has it'],
  [
    /<(web_fetch|bash_code_execution|text_editor_code_execution|tool_search)_tool_result>$|<server_tool_use>\.name = '/,
    'the server runs searches, Python and tools of MCP servers alone',
  ],
  [
    /<code_execution_tool_result>\.content<(code_execution_tool_result_error>\.error_code = '|code_execution_result>\.content|encrypted)/,
    'errors that the server does not tell apart, and files, of which it has none',
  ],
  [/<web_search_tool_result_error>\.error_code = '/, 'errors of a search that the server does not tell apart'],
  [
    /\.stop_reason = '(pause_turn|model_context_window_exceeded)'$/,
    'the server finishes its turns, and refuses what does not fit',
  ],
  [
    /\.usage\.(cache_creation|inference_geo|output_tokens_details|service_tier|speed)$/,
    'optional, and engines do not report it',
  ],
]
