import { type Command, defineCommand } from './command.js'
import type { StoreAction } from './store.js'

export const store: Command = defineCommand({
  name: 'store',
  operand: { value: 'ACTION', words: ['status', 'delete-owner'] satisfies readonly StoreAction[] },
  summary: 'shows what a store holds, or deletes an owner',
  help: [
    `ACTION is one of:
  status        prints how many responses, conversations and bytes the store holds, the last use of the oldest
                conversation, and the version of its tables
  delete-owner  deletes everything of one owner, also what is running, and prints what that was`,
    'Exit codes: 0 done, 1 the store failed, 2 wrong usage, or a store that cannot be opened.',
  ],
  options: {
    store: {
      takes: 'text',
      value: 'STORE',
      about: 'FILE.db, postgres://... or redis://..., as of serve; without it that in HARMONY_RESPONSES_STORE',
    },
    owner: { takes: 'text', value: 'NAME', about: 'the owner to delete: the name beside a key, or anonymous' },
  },
  async run(values, [action], io) {
    const { administer } = await import('./store.js')
    // Cast: it is one of the words.
    return administer(action as StoreAction, values, io)
  },
})
