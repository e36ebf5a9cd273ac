export const FIND_NAMED: string = `
local conversation = named(given.owner, given.id)
if not conversation or not conversation.last then return end
local last = call('HMGET', at('r', conversation.last), 'id', 'cid')
use(given.owner, last[2])
return {conversation.facts, last[1], conversation.open and call('HGET', at('r', conversation.open), 'id')}
`

/** Its content: what is kept about the conversation from now on. */
export const UPDATE_NAMED: string = `
local conversation = named(given.owner, given.id)
if not conversation or not conversation.last then return 0 end
local before = #conversation.facts
conversation.facts = ARGV[3]
name(given.owner, given.id, conversation)
grow(given.owner, #ARGV[3] - before)
return 1
`

export const DELETE_NAMED: string = `
local conversation = named(given.owner, given.id)
if not conversation or not conversation.last then return 0 end
unname(given.owner, given.id, conversation)
return 1
`
