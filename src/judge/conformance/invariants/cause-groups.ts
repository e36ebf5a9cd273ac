/* Rules whose violations leave the same unknown, which the `causes` of other rules name. */

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
export const PART_MISPLACED: readonly string[] = [
  ...MISPLACED,
  'within-part',
  'part-order',
  'part-kind',
  'event-shape:content_index',
  'event-shape:summary_index',
]

/** A text differs between its events. */
export const TEXT_DIFFERS: readonly string[] = [
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
export const ITEM_DIFFERS: readonly string[] = [
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
export const OUTPUT_DIFFERS: readonly string[] = [
  ...MISPLACED,
  ...MISNAMED,
  'every-item-done',
  'terminal-type-is-status',
  'terminal-response-complete',
  'event-shape:response.output',
]
