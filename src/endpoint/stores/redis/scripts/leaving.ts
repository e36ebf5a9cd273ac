import { HOLDERS } from './items.js'

/** What leaves: the first write of each function needs no memory, so that it also runs where none is left. */
export const DELETING: string = `${HOLDERS}
-- Takes a response out of the holders of its items. Whose own an item was gives it to who has a copy.
local function unlist(row, owner, isGiving)
  for _, item in ipairs(cjson.decode(call('HGET', at('r', row), 'items') or '[]')) do
    local id, left, genuine = item[1], {}, nil
    for _, holder in ipairs(id ~= cjson.null and holders(owner, id) or {}) do
      if holder.row ~= row then left[#left + 1] = holder
      elseif not genuine and holder.kind ~= 'i' then genuine = holder end
    end
    local last = left[#left]
    if not last then
      if id ~= cjson.null then call('HDEL', at('i', owner), id) end
    else
      if isGiving and genuine and last.kind ~= 'o' then
        call('HSET', at('g', last.row), last.start, bytesOf(genuine))
        last.kind = 'g'
      end
      for nth, holder in ipairs(left) do left[nth] = listed(holder) end
      call('HSET', at('i', owner), id, table.concat(left))
    end
  end
end

-- A conversation ends with its last response, and is free once the one that was open in it has left.
local function leave(row, owner, joins)
  local its = call('HGET', at('r', row), 'named')
  local conversation = its and named(owner, its)
  if not conversation then return end
  local isOpen = conversation.open == row
  if isOpen then
    conversation.open = nil
    if joins then conversation.last = row end
  elseif joins == nil and conversation.last == row then
    conversation.last = nil
  else
    return
  end
  if conversation.last then name(owner, its, conversation) else unname(owner, its, conversation) end
end

local function drop(row, owner, cid)
  local found = call('HMGET', at('r', row), 'id', 'key')
  call('UNLINK', at('r', row), at('e', row), at('b', row), at('g', row))
  call('SREM', at('m', cid), row)
  call('HDEL', P .. 'ids', found[1])
  call('ZREM', P .. 'leases', row)
  if found[2] then call('HDEL', at('k', owner), found[2]) end
end

-- Deletes a conversation as a whole. Returns the number of responses that could be found.
local function forget(cid)
  call('ZREM', P .. 'used', cid)
  local conversation = call('HMGET', at('c', cid), 'owner', 'bytes')
  local owner, count = conversation[1], 0
  call('ZREM', at('u', owner), cid)
  for _, row in ipairs(call('SMEMBERS', at('m', cid))) do
    if call('HGET', at('r', row), 'state') ~= 'deleted' then
      count = count + 1
      unlist(row, owner, false)
    end
    leave(row, owner)
    drop(row, owner, cid)
  end
  call('UNLINK', at('c', cid), at('m', cid))
  call('HINCRBY', meta, 'responses', 0 - count)
  if call('HINCRBY', P .. 'owners', owner, -1) == 0 then call('HDEL', P .. 'owners', owner) end
  grow(owner, -conversation[2])
  return count
end

-- Deletes those of some conversations in which nothing runs, until there are enough. Returns their number.
local function forgetIdle(key, before, except, isEnough)
  local count, from = 0, 0
  while true do
    local some = call('ZRANGEBYSCORE', key, '-inf', before, 'LIMIT', from, 64)
    for _, cid in ipairs(some) do
      if isEnough(count) then return count end
      if except[cid] or call('HGET', at('c', cid), 'running') ~= '0' then
        from = from + 1
      else
        forget(cid)
        count = count + 1
      end
    end
    if #some < 64 then return count end
  end
end
`

/** Deletes a response: it stays, hidden, as long as others continue it. */
export const DELETE: string = `${DELETING}
local row, state, cid = own(given.id, given.owner)
if not row then return 0 end
local owner, key = given.owner, at('r', row)
call('UNLINK', at('e', row))
local found = call('HMGET', key, 'key', 'entryBytes')
unlist(row, owner, true)
leave(row, owner)
if found[1] then call('HDEL', at('k', owner), found[1]) end
if state == 'running' then
  call('ZREM', P .. 'leases', row)
  call('HINCRBY', at('c', cid), 'running', -1)
else
  grow(owner, -found[2], cid)
end
call('HDEL', key, 'key', 'digest', 'block')
call('HSET', key, 'state', 'deleted')
call('HINCRBY', meta, 'responses', -1)
wake()
-- Then each that is deleted, and that nothing continues any more.
while row do
  local last = call('HMGET', at('r', row), 'state', 'children', 'bytes', 'previous')
  if last[1] ~= 'deleted' or last[2] ~= '0' then return 1 end
  grow(owner, -last[3], cid)
  drop(row, owner, cid)
  row = last[4]
  if row then call('HINCRBY', at('r', row), 'children', -1) end
end
if call('SCARD', at('m', cid)) == 0 then forget(cid) end
return 1
`

/** Evicts an owner's conversations above the limit, the least recently used first. Returns whether some may be left. */
export const EVICT_CONVERSATIONS: string = `${DELETING}
local except = {}
for _, cid in ipairs(given.except) do except[cid] = true end
local function isBelow()
  return tonumber(call('HGET', P .. 'bytes', given.owner) or 0) <= given.max
end
local count = forgetIdle(at('u', given.owner), '+inf', except, function(count)
  return count == given.some or isBelow()
end)
return (count == given.some and not isBelow()) and 1 or 0
`

/** Evicts some expired conversations, and then the approvals. Returns the number of conversations. */
export const EXPIRE: string = `${DELETING}
local before = given.before * 1000000
local count = forgetIdle(P .. 'used', before, {}, function(count) return count == given.some end)
if count == given.some then return count end
local now = clock()
for _, owner in ipairs(call('ZRANGEBYSCORE', P .. 'approvals', '-inf', before, 'LIMIT', 0, given.some)) do
  local key = at('a', owner)
  for _, id in ipairs(call('ZRANGEBYSCORE', key, '-inf', before, 'LIMIT', 0, 256)) do
    -- Remembered as long as its item is found: looked at again in time.
    if call('HEXISTS', at('i', owner), id) == 0 then call('ZREM', key, id) else call('ZADD', key, now, id) end
  end
  local oldest = call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if oldest[2] then call('ZADD', P .. 'approvals', oldest[2], owner) else call('ZREM', P .. 'approvals', owner) end
end
return count
`

/** Deletes some conversations of an owner, and everything else of the owner with the last of them. */
export const DELETE_OWNER: string = `${DELETING}
local function bytes() return tonumber(call('HGET', P .. 'bytes', given.owner) or 0) end
local before, responses = bytes(), 0
local some = call('ZRANGE', at('u', given.owner), 0, given.max - 1)
for _, cid in ipairs(some) do responses = responses + forget(cid) end
local approvals, isAll = 0, #some < given.max
if isAll then
  approvals = call('ZCARD', at('a', given.owner))
  call('ZREM', P .. 'approvals', given.owner)
  call('UNLINK', at('a', given.owner))
end
wake()
return {responses, #some, before - bytes(), approvals, isAll and 1 or 0}
`
