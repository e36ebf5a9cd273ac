import { CHAT_CAUSES, CHAT_RULE_FIELDS } from './chat-causes.js'
import type { PossibleCauses } from './explained-by.js'
import { MESSAGES_CAUSES } from './messages-causes.js'

/** The rules whose message begins with the path of a field. A rule for that field describes the problem better. */
export const SHAPE_RULES: ReadonlySet<string> = new Set([
  'event-shape',
  'event-keys',
  'chat-chunk-shape',
  'messages-event-shape',
])

/** Violations of these rules explain all others at the same event. */
export const EXPLAINS_WHOLE_EVENT: readonly string[] = [
  'one-terminal-event-last',
  'event-has-type',
  'open-responses-event',
  'event-shape:type',
]

/** The item is not at the output_index that its events give. */
export const MISPLACED: readonly string[] = [
  'within-item',
  'done-was-added',
  'done-once',
  'output-index-free',
  'output-index-order',
  'output-index-present',
  'item-is-object',
  'item-has-id',
  'event-shape:output_index',
  'event-shape:item',
  // An event of an unknown type may have been any event of the item.
  'event-shape:type',
  'open-responses-event',
]

/** The item has no id, or a wrong one. */
export const MISNAMED: readonly string[] = [
  'item-has-id',
  'item-identity',
  'item-id-matches',
  'item-ids-differ',
  'event-shape:item.id',
]

/** The part is not at the index that its events give. */
const PART_MISPLACED = [
  ...MISPLACED,
  'within-part',
  'part-order',
  'part-kind',
  'event-shape:content_index',
  'event-shape:summary_index',
]

/** A text differs between its events. */
const TEXT_DIFFERS = [
  'event-shape:type',
  'text-is-deltas',
  'text-done-event',
  'done-text-last',
  'call-is-deltas',
  'call-done-event',
  'shell-command-is-deltas',
  'no-empty-delta',
  'event-of-its-item',
  'event-shape:delta',
  'event-shape:text',
  'event-shape:refusal',
  'event-shape:arguments',
  'event-shape:input',
  'event-shape:code',
  'event-shape:command',
  'event-shape:part',
]

/** A field of the item has a wrong value. */
const ITEM_DIFFERS = [
  ...TEXT_DIFFERS,
  'item-constant',
  'item-is-its-parts',
  'announced-empty',
  'message-shape',
  'message-role',
  'message-phase',
  'reasoning-summary-list',
  'call-fields',
  'call-id',
  'mcp-call-ends-once',
  'annotation-index',
  'every-part-done',
]

/** The output of the terminal response differs because items were missing, misplaced or misnamed. */
const OUTPUT_DIFFERS = [
  ...MISPLACED,
  ...MISNAMED,
  'every-item-done',
  'terminal-type-is-status',
  'terminal-response-complete',
  'event-shape:response.output',
]

/**
 * For each rule, the rules whose violations may be the cause of its violations. `RULE:FIELD` stands for a violation of
 * a shape rule about that field or a field within it. A violation of a rule that is not listed is its own cause.
 */
export const POSSIBLE_CAUSES: Readonly<Record<string, PossibleCauses>> = {
  'created-first': { stream: ['created-first'] },
  'in-progress-second': { stream: ['created-first'] },
  'in-progress-repeats-created': {
    event: ['response-id-constant', 'fresh-response'],
    stream: [
      'created-response-named',
      'fresh-response',
      'event-shape:response',
      'event-keys:response',
      'no-output-text',
    ],
  },
  'response-constant': {
    event: ['response-id-constant'],
    stream: ['in-progress-repeats-created', 'created-response-named', 'event-shape:response', 'event-keys:response'],
  },
  'response-id-constant': {
    stream: ['created-response-named', 'event-shape:response.id', 'terminal-response-complete'],
  },
  'fresh-response': { stream: ['event-shape:response.status', 'event-shape:response.output'] },
  'created-response-named': { event: ['created-first'] },
  'terminal-type-is-status': { event: ['event-shape:response.status'] },
  'usage-at-the-end': { event: ['terminal-type-is-status'] },
  'completed-without-error': { event: ['terminal-type-is-status'] },
  'failure-says-why': { event: ['terminal-type-is-status', 'event-shape:response.status'] },
  'error-then-failed': { event: ['terminal-type-is-status'], stream: ['one-terminal-event-last'] },
  'one-terminal-event-last': { item: ['every-item-done'], event: ['stream-not-empty'] },
  'every-item-done': { item: [...MISPLACED, 'item-identity'], event: ['terminal-type-is-status'] },
  'stream-not-empty': {},
  'event-shape': {
    item: ['event-of-its-item'],
    event: ['nested-error', 'terminal-type-is-status', 'event-of-its-item', 'message-phase', 'call-fields'],
  },
  // The terminal response repeats the faults of its items.
  'event-shape:response.output': { stream: ['event-shape:item', ...ITEM_DIFFERS] },
  'event-keys:response.output': { stream: ['event-keys:item'] },
  'event-keys': { event: ['no-foreign-error', 'no-output-text', 'obfuscation'] },

  'output-index-order': {
    item: MISPLACED,
    event: ['output-index-free', 'output-index-present', 'item-is-object'],
  },
  'output-index-free': { item: MISPLACED },
  'output-index-present': { event: ['event-shape:output_index'] },
  'item-has-id': { event: ['item-is-object'] },
  'item-ids-differ': { item: ['output-index-free', 'done-once'], event: ['output-index-free'] },
  'item-id-prefix': { item: ['event-shape:item.type'], event: ['item-has-id', 'item-is-object'] },
  'done-was-added': { item: [...MISPLACED, ...MISNAMED], event: ['output-index-present', 'item-is-object'] },
  'done-once': { item: MISPLACED },
  'item-identity': { item: [...MISNAMED, ...MISPLACED], event: ['item-is-object'] },
  'item-constant': {
    item: [...ITEM_DIFFERS, ...MISPLACED, 'item-id-prefix'],
    event: ['item-is-object', 'item-identity'],
  },
  'event-of-its-item': {
    item: [...MISPLACED, 'item-id-prefix', 'part-kind', 'announced-part-empty', 'event-shape:part'],
  },
  'reasoning-not-adjacent': { event: ['output-index-free', 'output-index-order'] },
  'incomplete-item-last': { event: ['terminal-type-is-status'] },
  'incomplete-call-last': { event: ['terminal-type-is-status'] },
  'within-item': {
    item: [...MISPLACED, 'every-part-done', 'call-done-event', 'text-done-event', 'message-closing-order'],
  },
  'done-text-last': { item: [...PART_MISPLACED, ...TEXT_DIFFERS] },
  'item-id-matches': { item: [...MISNAMED, 'output-index-free', 'done-once'], event: ['item-id-present'] },
  'item-id-present': { item: ['item-has-id'] },
  'terminal-output-is-done-items': {
    event: ['every-item-done', 'terminal-type-is-status', 'terminal-response-complete'],
    stream: OUTPUT_DIFFERS,
  },
  'terminal-output-was-streamed': {
    event: ['terminal-type-is-status', 'terminal-response-complete', 'terminal-output-was-streamed'],
    stream: OUTPUT_DIFFERS,
  },
  'terminal-items-unchanged': { item: [...ITEM_DIFFERS, ...MISPLACED, ...MISNAMED, ...PART_MISPLACED] },

  'part-order': { item: PART_MISPLACED },
  'part-kind': { item: ['event-of-its-item', 'event-shape:item', 'event-shape:part', 'item-id-prefix'] },
  'within-part': { item: [...PART_MISPLACED, 'text-done-event', 'every-part-done', 'event-of-its-item'] },
  'every-part-done': { item: [...PART_MISPLACED, 'event-shape:part'] },
  'announced-part-empty': { item: ['event-shape:part', 'part-kind'] },
  'text-is-deltas': { item: [...PART_MISPLACED, ...TEXT_DIFFERS] },
  'text-done-event': { item: [...PART_MISPLACED, ...TEXT_DIFFERS] },
  'item-is-its-parts': {
    item: [
      ...PART_MISPLACED,
      ...TEXT_DIFFERS,
      'every-part-done',
      'annotation-index',
      'message-shape',
      'item-is-object',
    ],
  },
  'message-closing-order': { item: [...PART_MISPLACED, ...TEXT_DIFFERS, 'every-part-done'] },
  'part-follows-message': {
    item: PART_MISPLACED,
    event: PART_MISPLACED,
  },
  'annotation-index': {
    item: [
      ...PART_MISPLACED,
      'text-done-event',
      'event-shape:annotation',
      'event-shape:annotation_index',
      'event-shape:part',
    ],
  },

  'call-is-deltas': { item: [...MISPLACED, ...TEXT_DIFFERS, 'call-fields', 'event-shape:item.arguments'] },
  'shell-command-is-deltas': { item: [...MISPLACED, ...TEXT_DIFFERS, 'shell-command-order'] },
  'call-done-event': { item: [...MISPLACED, ...TEXT_DIFFERS, 'mcp-call-ends-once'] },
  'function-call-has-delta': { item: [...MISPLACED, ...TEXT_DIFFERS] },
  'function-arguments-json': { item: TEXT_DIFFERS, event: ['call-fields', 'event-shape:item.arguments'] },
  'call-fields': { item: ['item-has-id'], event: ['item-is-object'] },
  'call-id': { event: ['call-fields', 'item-is-object'], item: ['call-fields'] },
  'call-ids-differ': {
    event: ['item-ids-differ', 'output-index-free', 'call-ids-differ'],
    stream: ['call-ids-differ'],
  },
  'call-id-prefix': { item: ['call-id', 'call-fields', 'item-constant'], event: ['item-constant'] },
  'shell-command-order': { item: [...MISPLACED, 'event-shape:command_index'], event: MISPLACED },
  'shell-output-command': { item: MISPLACED, stream: ['call-id'] },
  'code-interpreter-order': { item: [...MISPLACED, ...TEXT_DIFFERS] },
  'mcp-call-ends-once': { item: [...MISPLACED, ...TEXT_DIFFERS] },
  ...CHAT_CAUSES,
  ...MESSAGES_CAUSES,
}

/**
 * The fields that a rule is about, as paths in the event. `item.*`, or `*`, stands for the field that the message begins
 * with.
 */
export const RULE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ...CHAT_RULE_FIELDS,
  'sequence-numbers': ['sequence_number'],
  'nested-error': ['error', 'code', 'message', 'param'],
  'no-foreign-error': ['error'],
  'no-empty-delta': ['delta'],
  obfuscation: ['obfuscation'],
  'item-is-object': ['item'],
  'terminal-type-is-status': ['response.status'],
  'terminal-response-complete': ['response.id', 'response.output'],
  'usage-adds-up': ['response.usage'],
  'usage-at-the-end': ['response.usage'],
  'fresh-response': ['response.status', 'response.output', 'response.usage', 'response.error'],
  'response-id-constant': ['response.id'],
  'created-response-named': ['response.id', 'response.created_at', 'response.model'],
  seconds: ['response.created_at', 'response.completed_at'],
  'completed-without-error': ['response.error', 'response.incomplete_details'],
  'no-output-text': ['response.output_text'],
  'output-index-order': ['output_index'],
  'output-index-present': ['output_index'],
  'output-index-free': ['output_index'],
  'within-item': ['output_index'],
  'item-has-id': ['item.id'],
  'item-identity': ['item.id'],
  'item-id-prefix': ['item.id'],
  'item-id-matches': ['item_id'],
  'item-id-present': ['item_id'],
  'item-constant': ['item.*'],
  'announced-empty': ['item.*'],
  'message-shape': ['item.content'],
  'message-role': ['item.role'],
  'message-phase': ['item.phase'],
  'reasoning-summary-list': ['item.summary'],
  'part-order': ['content_index', 'summary_index'],
  'within-part': ['content_index', 'summary_index'],
  'part-kind': ['part'],
  'announced-part-empty': ['part'],
  'text-is-deltas': ['text', 'refusal'],
  'text-done-event': ['part.text', 'part.refusal'],
  'item-is-its-parts': ['item.content', 'item.summary'],
  'text-logprobs': ['logprobs'],
  'annotation-index': ['annotation_index', 'part.annotations'],
  'call-is-deltas': ['arguments', 'input', 'code', 'item.arguments', 'item.input', 'item.code'],
  'shell-command-is-deltas': ['command'],
  'shell-command-order': ['command_index'],
  'shell-output-command': ['command_index'],
  'function-arguments-json': ['item.arguments'],
  'call-fields': ['item.*'],
  'call-id': ['item.call_id'],
  'call-id-prefix': ['item.call_id'],
  'mcp-call-ends-once': ['item.status'],
}

/** The rules that a lost, repeated or late event can break: they check the order of events, or joined texts. */
export const ORDER_RULES: ReadonlySet<string> = new Set([
  'created-first',
  'in-progress-second',
  'one-terminal-event-last',
  'error-then-failed',
  'every-item-done',
  'output-index-order',
  'output-index-free',
  'item-ids-differ',
  'call-ids-differ',
  'done-was-added',
  'done-once',
  'within-item',
  'reasoning-not-adjacent',
  'done-text-last',
  'terminal-output-is-done-items',
  'terminal-output-was-streamed',
  'part-order',
  'within-part',
  'every-part-done',
  'text-is-deltas',
  'text-done-event',
  'item-is-its-parts',
  'message-closing-order',
  'part-follows-message',
  'annotation-index',
  'call-is-deltas',
  'shell-command-is-deltas',
  'call-done-event',
  'function-call-has-delta',
  'function-arguments-json',
  'shell-command-order',
  'shell-output-command',
  'code-interpreter-order',
  'mcp-call-ends-once',
])
