import type { Fields } from '../../../shared/fields.js'
import { fieldOf, listAt, optionalTextIn, textIn } from '../../../shared/request-fields.js'
import { textOfContent } from '../content.js'
import { jsonText } from '../schema/json-text.js'
import { CALL, JSON_BODY } from './call-header.js'
import type { ItemReader, ReadContext } from './item-reader.js'

type ForeignType =
  | 'computer_call'
  | 'computer_call_output'
  | 'program'
  | 'program_output'
  | 'tool_search_call'
  | 'tool_search_output'
  | 'multi_agent_call'
  | 'multi_agent_call_output'
  | 'agent_message'

/*
 * Items of OpenAI's own models and tools, which a client may bring from a conversation with them. The model reads a call as it
 * would write one, and its result as a tool's. A call without a result, or a result without a call, is no error here: nobody
 * waits for it.
 */

export const FOREIGN_READERS: { readonly [Type in ForeignType]: ItemReader } = {
  // Its actions.
  computer_call(item, context, index) {
    const action = fieldOf(item, 'action')
    const actions = fieldOf(item, 'actions') ?? (action === undefined ? [] : [action])
    addCall('computer', jsonText({ actions }), context, index)
  },

  // `[image]`.
  computer_call_output(item, context, index, param) {
    const { output } = item
    addResult(
      'computer',
      textOfContent(output == null ? [] : [output], `${param}.output`, context.attach),
      context,
      index,
    )
  },

  // Code that calls tools.
  program(item, { conversation }, index, param) {
    const content = optionalTextIn(item, 'code', param) ?? ''
    conversation.add({ ...CALL, recipient: 'program', channel: CHANNEL, contentType: 'code', content, item: index })
  },

  program_output(item, context, index, param) {
    addResult('program', optionalTextIn(item, 'result', param) ?? '', context, index)
  },

  tool_search_call(item, context, index) {
    addCall('tool_search', jsonText(fieldOf(item, 'arguments') ?? {}), context, index)
  },

  // The names of the tools, which are declared from here on.
  tool_search_output(item, context, index, param) {
    const tools = listAt(fieldOf(item, 'tools') ?? [], `${param}.tools`)
    const names = tools.map((tool) => fieldOf(Object(tool), 'name') ?? fieldOf(Object(tool), 'type'))
    addResult('tool_search', jsonText(names), context, index)
    const teaches = context.taughtAt?.get(item) ?? []
    if (teaches.length > 0) context.conversation.add({ role: 'developer', content: '', item: index, teaches })
  },

  // What Codex's agents do with each other.
  multi_agent_call(item, context, index, param) {
    addCall(actionOf(item, param), optionalTextIn(item, 'arguments', param) ?? '{}', context, index)
  },

  multi_agent_call_output(item, context, index, param) {
    const text = textOfContent(fieldOf(item, 'output') ?? '', `${param}.output`, context.attach)
    addResult(actionOf(item, param), text, context, index)
  },

  // A message of one agent to another, as one of the user that names both.
  agent_message(item, { conversation, attach, unsealed }, index, param) {
    const parts = listAt(fieldOf(item, 'content') ?? [], `${param}.content`).map((part, at) => {
      const path = `${param}.content[${at}]`
      if (fieldOf(Object(part), 'type') !== 'encrypted_content') return textOfContent([part], path, attach)
      // What our own model wrote to another agent, which the client takes for encrypted.
      const blob = textIn(part as Fields, 'encrypted_content', path)
      return unsealed(blob)?.text ?? blob
    })
    const [author, recipient] = [optionalTextIn(item, 'author', param), optionalTextIn(item, 'recipient', param)]
    const heading = ['Message', author && `from ${author}`, recipient && `to ${recipient}`].filter(Boolean).join(' ')
    conversation.add({ role: 'user', content: `${heading}:\n${parts.join('\n')}`, item: index })
  },
}

const CHANNEL = 'commentary'

function actionOf(item: Fields, param: string): string {
  return `multi_agent.${optionalTextIn(item, 'action', param)?.replace(/\W/g, '_') ?? 'call'}`
}

function addCall(recipient: string, content: string, { conversation }: ReadContext, index: number): void {
  conversation.add({ ...CALL, ...JSON_BODY, recipient, channel: CHANNEL, content, item: index })
}

function addResult(recipient: string, text: string, { conversation }: ReadContext, index: number): void {
  conversation.result({ recipient, channel: CHANNEL }, text, index)
}
