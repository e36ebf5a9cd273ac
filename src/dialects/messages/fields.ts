import { type BodyField, ignored, refused, same } from '../body/field.js'
import { readContainer } from './container.js'
import type { Draft } from './draft.js'
import { readMcpServers } from './mcp-servers.js'
import { readOutputConfig, readOutputFormat, readStopSequences, readSystem, readThinking } from './parameters.js'
import { readMessages } from './read-messages.js'
import { readToolChoice, readTools } from './tools.js'

const OLDER = 'older clients'
const COMPACTED = 'a conversation that is too long is refused in the words that clients compact theirs for'

/** All facts about every parameter, in reading order: the first error is reported. */
export const MESSAGES_FIELDS: { readonly [name: string]: BodyField<Draft> } = {
  model: same('model'),
  // Read before the tools, which name them.
  mcp_servers: {
    support: 'mapped',
    does: "`tools`: the operator's MCP servers of the same names: see [tools](#tools)",
    read: readMcpServers,
  },
  // Read before the messages, which name deferred tools.
  tools: { support: 'mapped', does: '`tools`: see [tools](#tools)', read: readTools },
  // Read after the tools, one of which runs in it.
  container: {
    support: 'mapped',
    does: '`container` of the code interpreter: see [containers](#containers)',
    read: readContainer,
  },
  messages: {
    support: 'mapped',
    does: '`input`: see [messages](#messages-and-blocks)',
    *readInSlices(value, draft) {
      draft.put('input', yield* readMessages(value, draft), 'messages')
    },
  },
  system: {
    support: 'mapped',
    does: '`instructions`, without the attribution that Claude Code puts in front (`x-anthropic-billing-header`)',
    read: readSystem,
  },
  max_tokens: {
    support: 'mapped',
    does: '`max_output_tokens`',
    read: (value, draft) => draft.put('max_output_tokens', value, 'max_tokens'),
  },
  output_config: {
    support: 'mapped',
    does: '`effort` is `reasoning.effort` (`xhigh` and `max` are `high`), `format` is `text.format`, strict',
    read: readOutputConfig,
  },
  output_format: {
    support: 'mapped',
    does: '`text.format`, if `output_config.format` is missing',
    read: readOutputFormat,
  },
  thinking: {
    support: 'mapped',
    does:
      'what the client [sees of the reasoning](#thinking); `disabled` is `reasoning.effort` `low`, and so is a ' +
      '`budget_tokens` below 4,096, `high` one from 16,384 on, unless `output_config` has an effort',
    read: readThinking,
  },
  stop_sequences: { support: 'mapped', does: '`stop`: up to 64', read: readStopSequences },
  tool_choice: {
    support: 'mapped',
    does: '`tool_choice`: `any` is `required`; `disable_parallel_tool_use` is `parallel_tool_calls`',
    read: readToolChoice,
  },
  temperature: { ...same('temperature'), sentBy: OLDER },
  top_p: { ...same('top_p'), sentBy: OLDER },
  stream: same('stream'),
  thread: refused('thread', 'nothing is stored; the SDK then sends the whole conversation'),
  billing_policy: ignored('nothing is billed'),
  cache_control: ignored('engines cache what they can, by its tokens'),
  compaction: ignored(COMPACTED),
  context_management: ignored("the prompt drops the reasoning of earlier turns, as in gpt-oss's training"),
  diagnostics: ignored('the server has no such diagnostics'),
  fallback_credit_token: ignored('nothing is billed'),
  fallbacks: ignored('the requested model always answers'),
  inference_geo: ignored('the server runs in one place'),
  metadata: ignored('the key identifies the caller'),
  service_tier: ignored('there is one tier'),
  speed: ignored('there is one speed'),
  top_k: { ...ignored('no engine of this library supports it'), sentBy: OLDER },
  user_profile_id: ignored('the key identifies the caller'),
  workspace_id: ignored('the key identifies the caller'),
}
