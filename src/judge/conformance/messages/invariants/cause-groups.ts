/** Violations of events that clients skip: later events lack their content. */
export const UNREAD: readonly string[] = ['messages-event-known', 'messages-event-shape', 'messages-start-first']

/** Violations that leave unknown which block an event belongs to. */
export const MISPLACED: readonly string[] = [
  'messages-block-index',
  'messages-one-block',
  'messages-block-is-open',
  ...UNREAD,
]
