import { APPROVALS } from './approvals.js'

/** Opens a response, or says why not. Its contents: its entries, and what is kept about a conversation that begins. */
export const OPEN: string = `${APPROVALS}
local owner, turn = given.owner, given.turn
if call('HEXISTS', P .. 'ids', given.id) == 1 then return {'exists'} end
local from, state, cid
if given.previous then
  from, state, cid = own(given.previous, owner)
  if state ~= 'ended' then return {'no_previous'} end
end
local conversation = turn and named(owner, turn.id)
if turn and not turn.last then
  if conversation then return {'moved'} end
elseif turn then
  local last = conversation and conversation.last and not conversation.open and conversation.last
  if not last or call('HGET', at('r', last), 'id') ~= turn.last then return {'moved'} end
end
local holder = given.key and call('HGET', at('k', owner), given.key)
if holder then
  local found = call('HMGET', at('r', holder), 'id', 'digest')
  return {'key_taken', found[1], found[2]}
end
if isConsumed(owner, given.approvals) then return {'consumed'} end

local now, row = clock(), string.format('%.0f', call('HINCRBY', meta, 'rows', 1))
consume(owner, given.approvals, now)
if from then
  call('HINCRBY', at('r', from), 'children', 1)
else
  cid = row
  call('HSET', at('c', cid), 'owner', owner, 'bytes', 0, 'running', 0)
  call('HINCRBY', P .. 'owners', owner, 1)
end
call('HINCRBY', at('c', cid), 'running', 1)
call('SADD', at('m', cid), row)
call('ZADD', P .. 'used', now, cid)
call('ZADD', at('u', owner), now, cid)
call('HSET', at('r', row), 'id', given.id, 'owner', owner, 'cid', cid, 'stamp', given.stamp, 'state', 'running',
  'epoch', 1, 'count', given.count, 'entryBytes', #ARGV[3], 'bytes', 0, 'children', 0,
  'doubts', call('HGET', meta, 'doubts') or 0)
if from then call('HSET', at('r', row), 'previous', from) end
call('HSET', P .. 'ids', given.id, row)
call('HINCRBY', meta, 'responses', 1)
call('ZADD', P .. 'leases', now + math.floor(given.seconds * 1000000), row)
if given.count > 0 then call('XADD', at('e', row), '0-' .. given.count, 'b', ARGV[3]) end
if given.key then
  call('HSET', at('k', owner), given.key, row)
  call('HSET', at('r', row), 'key', given.key, 'digest', given.digest)
end
if turn then
  call('HSET', at('r', row), 'named', turn.id)
  if conversation then
    conversation.open = row
  else
    conversation = {open = row, facts = ARGV[4]}
    grow(owner, #ARGV[4])
  end
  name(owner, turn.id, conversation)
end
return {'opened'}
`
