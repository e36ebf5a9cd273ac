import { DELETING } from './leaving.js'

/**
 * Appends to many responses, each at the index and under the lease that its writer names. The contents are one for each row: its
 * entries; and of one that ends four: the block of its last or of all entries, its head, its items, and where they are.
 */
export const APPEND: string = `${DELETING}
local now, doubts = clock(), call('HGET', meta, 'doubts') or '0'
local nth, isFollowed = 3, false

local function written(row, key, given, size, found)
  call('HSET', key, 'count', given.at + given.count, 'entryBytes', found[5] + size, 'doubts', doubts)
  call('ZADD', P .. 'leases', now + math.floor(given.seconds * 1000000), row)
  if given.count > 0 then
    call('XADD', at('e', row), string.format('%.0f-%.0f', given.at, given.count), 'b', ARGV[nth])
  end
  nth = nth + 1
  return {'written'}
end

local function ended(row, key, given, size, found)
  local owner, cid, ends, where = given.owner, found[6], given.ends, ARGV[nth + 3]
  local entryBytes = ends.isWhole and size or found[5] + size
  local bytes = #ARGV[nth + 1] + #ARGV[nth + 2]
  if ends.isWhole then
    call('UNLINK', at('e', row))
    if given.count > 0 then call('HSET', key, 'block', ARGV[nth]) end
  elseif given.count > 0 then
    call('XADD', at('e', row), string.format('%.0f-%.0f', given.at, given.count), 'b', ARGV[nth])
  end
  call('HSET', key, 'state', 'ended', 'count', (ends.isWhole and 0 or given.at) + given.count, 'entryBytes', entryBytes,
    'head', ARGV[nth + 1], 'bytes', bytes, 'items', where)
  call('SET', at('b', row), ARGV[nth + 2])
  call('ZREM', P .. 'leases', row)
  if ends.isWhole and given.count == 0 then call('HSET', key, 'bare', 1) end
  if ends.freesKey and found[8] then
    call('HDEL', key, 'key', 'digest')
    call('HDEL', at('k', owner), found[8])
  end
  leave(row, owner, ends.joins)
  local start = 0
  for _, item in ipairs(cjson.decode(where)) do
    local id, kind, size = item[1], item[2] == 1 and 'o' or 'i', item[3]
    if id ~= cjson.null then
      local others = call('HGET', at('i', owner), id) or ''
      call('HSET', at('i', owner), id, others .. listed({row = row, kind = kind, start = start, size = size}))
    end
    start = start + size
  end
  call('HINCRBY', at('c', cid), 'running', -1)
  call('ZADD', P .. 'used', now, cid)
  call('ZADD', at('u', owner), now, cid)
  grow(owner, bytes + entryBytes, cid)
  nth = nth + 4
  return {'written', cid, call('HGET', P .. 'bytes', owner), stamped(row), stamped(found[9])}
end

local function append(given)
  local row = call('HGET', P .. 'ids', given.id)
  local key = row and at('r', row)
  local found = row and call('HMGET', key, 'owner', 'state', 'epoch', 'count', 'entryBytes', 'cid', 'followed', 'key', 'previous')
  local isHeld = found and found[1] == given.owner and found[2] == 'running' and tonumber(found[3]) == given.epoch
  if isHeld and tonumber(found[4]) == given.at then
    isFollowed = isFollowed or found[7]
    return (given.ends and ended or written)(row, key, given, #ARGV[nth], found)
  end
  nth = nth + (given.ends and 4 or 1)
  return isHeld and {'behind', tonumber(found[4])} or {'lost'}
end

local results = {}
for at, row in ipairs(given.rows) do results[at] = append(row) end
if isFollowed then wake() end
return results
`
