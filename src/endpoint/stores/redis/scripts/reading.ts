export const FIND: string = `
local row, state, cid = own(given.id, given.owner)
if not row then return end
use(given.owner, cid)
if state == 'running' then return {'running'} end
local stamp = call('HGET', at('r', row), 'stamp')
if stamp == given.known then return {'finished', stamped(row)} end
local found = call('HMGET', at('r', row), 'head', 'items')
return {'finished', stamped(row), found[1], found[2], call('GET', at('b', row))}
`

export const LINEAGE: string = `
local row, state, cid = own(given.id, given.owner)
if not row then return end
use(given.owner, cid)
local last = row
if state == 'running' then last = call('HGET', at('r', row), 'previous') end
return {state, stamped(row), stamped(last)}
`

/** Reads a part of a conversation. While its tip is there, so is everything that this continues. */
export const READ_LINEAGE: string = `
if call('HGET', at('r', given.tip), 'stamp') ~= given.stamp then return end
local rows, row, bytes = {}, given.from, 0
while row and #rows < given.max and bytes < given.bytes do
  local found = call('HMGET', at('r', row), 'head', 'items', 'bytes', 'previous')
  rows[#rows + 1] = {stamped(row), found[1], found[2], call('GET', at('b', row))}
  bytes = bytes + found[3]
  row = found[4]
end
return {rows, stamped(row)}
`

export const FIND_KEY: string = `
local row = call('HGET', at('k', given.owner), given.key)
return row and call('HMGET', at('r', row), 'id', 'digest')
`

/**
 * Reads a part of the entries of a response, from the block on that an index is in. Who reads one that is running is woken from
 * now on.
 */
export const ENTRIES: string = `
local row, state, cid = own(given.id, given.owner)
local found = row and call('HMGET', at('r', row), 'bare', 'block', 'count', 'followed')
if not row or found[1] then return end
use(given.owner, cid)
local isOver, count, blocks, isAll = state == 'ended', tonumber(found[3]), {}, true
if state == 'running' and not found[4] then redis.pcall('HSET', at('r', row), 'followed', 1) end
if found[2] then
  if count > given.from then blocks[1] = {0, count, found[2]} end
  return {1, 1, count, blocks}
end
local bytes = 0
local function add(entry)
  local from, size = string.match(entry[1], '(%d+)-(%d+)')
  if from + size <= given.from then return end
  blocks[#blocks + 1] = {tonumber(from), tonumber(size), entry[2][2]}
  bytes = bytes + #entry[2][2]
end
local key, next = at('e', row), string.format('%.0f', given.from)
for _, entry in ipairs(call('XREVRANGE', key, next, '-', 'COUNT', 1)) do add(entry) end
next = string.format('%.0f', given.from + 1)
while true do
  local some = call('XRANGE', key, next, '+', 'COUNT', 16)
  for _, entry in ipairs(some) do
    if #blocks >= given.rows or bytes >= given.bytes then return {isOver and 1 or 0, 0, count, blocks} end
    add(entry)
    next = '(' .. entry[1]
  end
  if #some < 16 then return {isOver and 1 or 0, 1, count, blocks} end
end
`

/** The state of each response that is followed here: what differs from the last one has changed. */
export const LOOK: string = `
local states = {}
for nth, id in ipairs(given.ids) do
  local row = call('HGET', P .. 'ids', id)
  local found = row and call('HMGET', at('r', row), 'count', 'state')
  states[nth] = found and found[1] .. ' ' .. found[2] or 'gone'
end
return states
`
